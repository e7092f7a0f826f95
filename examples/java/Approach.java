// SPDX-License-Identifier: BSD-3-Clause
// Approach.java - a 100 Hz controller: drive towards a wall, and stop half a metre before it

import java.nio.ByteBuffer;
import java.time.Duration;
import org.ach.Channel;
import org.ach.CreateOptions;
import org.ach.Option;
import org.ach.Period;

final class Approach {
    private static final String RANGE = "approach-range";
    private static final String SPEED = "approach-speed";

    private static byte[] bytes(double value) {
        return ByteBuffer.allocate(Double.BYTES).putDouble(value).array();
    }

    private static double value(byte[] message) {
        return ByteBuffer.wrap(message).getDouble();
    }

    /** A cart with a range sensor, in place of the real one. */
    private static void cart() {
        try (Channel range = Channel.open(RANGE); Channel speed = Channel.open(SPEED)) {
            Period period = new Period(Duration.ofMillis(5));
            double distance = 2;
            while (!Thread.currentThread().isInterrupted()) {
                byte[] s = speed.poll(Option.LAST, Option.COPY);
                if (s != null) {
                    distance -= value(s) * 0.005;
                }
                range.put(bytes(distance));
                period.await();
            }
        }
    }

    private static double approach() throws InterruptedException {
        try (Channel range = Channel.open(RANGE); Channel speed = Channel.open(SPEED)) {
            Period period = new Period(Duration.ofMillis(10));
            double error;
            do {
                error = value(range.get(Option.LAST, Option.COPY)) - 0.5;
                speed.put(bytes(4 * error));
                period.await();
            } while (Math.abs(error) > 0.005);
            speed.put(bytes(0));
            return error + 0.5;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Channel.create(RANGE, new CreateOptions().truncate());
        Channel.create(SPEED, new CreateOptions().truncate());
        Thread cart = new Thread(Approach::cart);
        cart.start();
        System.out.printf("stopped at %.2f m%n", approach());
        cart.interrupt();
        cart.join();
        Channel.unlink(RANGE);
        Channel.unlink(SPEED);
    }
}
