// SPDX-License-Identifier: BSD-3-Clause
// Waits.java - timed waits of Java: each takes the requested time, by the clocks that it reads
//
// usage: Waits SLACK: milliseconds that a wait may take longer
import java.time.Instant;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Waits {
    interface Call { void run() throws Exception; }

    static long slack;
    static volatile boolean flag;

    static void fail(String text) {
        System.out.println(text);
        System.exit(1);
    }

    static void takes(String what, long ms, long more, Call call) throws Exception {
        long begin = System.nanoTime();
        call.run();
        long took = System.nanoTime() - begin;
        if (took < ms * 1000000 || took > (ms + slack + more) * 1000000)
            fail(what + " took " + took + " ns");
    }

    static void takes(String what, long ms, Call call) throws Exception {
        takes(what, ms, 0, call);
    }

    static Thread later(long ms, Call call) {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(ms);
                call.run();
            } catch (Exception e) {
                fail(e.toString());
            }
        });
        thread.start();
        return thread;
    }

    static void timeouts() throws Exception {
        Object monitor = new Object();
        Lock lock = new ReentrantLock();
        Condition condition = lock.newCondition();

        takes("sleep", 5000, () -> Thread.sleep(5000));
        takes("wait", 5000, () -> { synchronized (monitor) { monitor.wait(5000); } });
        takes("parkNanos", 5000, () -> LockSupport.parkNanos(5000000000L));
        takes("poll", 5000, () -> new LinkedBlockingQueue<Integer>().poll(5, TimeUnit.SECONDS));
        takes("await", 5000, () -> new CountDownLatch(1).await(5, TimeUnit.SECONDS));
        takes("tryAcquire", 5000, () -> new Semaphore(0).tryAcquire(5, TimeUnit.SECONDS));
        lock.lock();
        takes("condition", 5000, () -> condition.await(5, TimeUnit.SECONDS));
        lock.unlock();
    }

    static void others() throws Exception {
        Object monitor = new Object();
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();

        takes("notify", 5000, () -> {
            synchronized (monitor) {
                later(5000, () -> { synchronized (monitor) { monitor.notify(); } });
                monitor.wait();
            }
        });
        takes("take", 5000, () -> {
            later(5000, () -> queue.put(7));
            if (queue.take() != 7)
                fail("take returned another element");
        });
        takes("join", 5000, () -> later(5000, () -> {}).join());
        takes("unpark", 5000, () -> {
            Thread main = Thread.currentThread();
            later(5000, () -> LockSupport.unpark(main));
            LockSupport.park();
        });
        takes("yield", 5, 1, () -> { // each takes a microsecond
            later(5, () -> flag = true);
            while (!flag)
                Thread.yield();
        });
    }

    static void executors() throws Exception {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        CountDownLatch ticks = new CountDownLatch(3);

        takes("schedule", 5000, () -> {
            if (timer.schedule(() -> 7, 5, TimeUnit.SECONDS).get() != 7)
                fail("schedule returned another value");
        });
        takes("scheduleAtFixedRate", 3000, () -> {
            timer.scheduleAtFixedRate(ticks::countDown, 1, 1, TimeUnit.SECONDS);
            ticks.await();
        });
        timer.shutdownNow();
    }

    // All threads stop for it, wherever they are.
    static void collection() throws Exception {
        takes("join after gc", 5000, 1, () -> { // it sleeps until all have stopped
            Thread sleeper = later(5000, () -> {});
            System.gc();
            sleeper.join();
        });
    }

    static void clocks() {
        long now = System.currentTimeMillis() / 1000;
        if (now < 1700000000L || now > 1700010000L)
            fail("it is " + now);
        if (Math.abs(Instant.now().getEpochSecond() - now) > 1)
            fail("it is " + Instant.now());
    }

    public static void main(String[] args) throws Exception {
        slack = Long.parseLong(args[0]);
        timeouts();
        others();
        executors();
        collection();
        clocks();
        System.out.println("all waits were right");
    }
}
