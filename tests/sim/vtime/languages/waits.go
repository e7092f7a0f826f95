// SPDX-License-Identifier: BSD-3-Clause
// waits.go - waits of Go, whose runtime makes system calls itself: it is refused in a simulation
package main

import "time"

func main() {
	println("it runs")
	begin := time.Now()
	time.Sleep(50 * time.Millisecond)
	select {
	case <-make(chan int):
	case <-time.After(50 * time.Millisecond):
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	<-ticker.C
	<-ticker.C
	println("it took", time.Since(begin).Milliseconds(), "ms until", time.Now().Unix())
}
