// SPDX-License-Identifier: BSD-3-Clause
// Waits.java - timed waits of Java, in virtual time
import java.util.concurrent.*;

public class Waits {
    interface Call { void run() throws Exception; }

    static void takes(String what, long ms, Call call) throws Exception {
        long begin = System.nanoTime();
        call.run();
        long took = (System.nanoTime() - begin) / 1000000;
        if (took < ms || took > ms + 5000) { // it computes, and that takes time
            System.out.println(what + " took " + took + " ms");
            System.exit(1);
        }
    }

    public static void main(String[] args) throws Exception {
        Object lock = new Object();
        takes("sleep", 5000, () -> Thread.sleep(5000));
        takes("wait", 5000, () -> { synchronized (lock) { lock.wait(5000); } });
        takes("poll", 5000, () -> new LinkedBlockingQueue<Integer>().poll(5, TimeUnit.SECONDS));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        ScheduledFuture<Integer> later = timer.schedule(() -> 7, 5, TimeUnit.SECONDS);
        takes("schedule", 5000, () -> { if (later.get() != 7) System.exit(2); });
        timer.shutdown();
        long now = System.currentTimeMillis() / 1000;
        if (now < 1700000000L || now > 1700000100L) {
            System.out.println("it is " + now);
            System.exit(1);
        }
    }
}
