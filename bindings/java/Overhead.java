// SPDX-License-Identifier: BSD-3-Clause
import java.nio.ByteBuffer;
import java.time.Duration;
import org.ach.Channel;
import org.ach.Option;

/** What bindings/overhead/overhead.c does, with org.ach. */
public final class Overhead {
    private static int batches;
    private static int calls;
    /** Results go here, so that the compiler cannot leave out calls. */
    private static volatile int sink;

    private interface Operation {
        int run() throws InterruptedException;
    }

    private Overhead() {
    }

    private static void measure(String name, Operation operation) throws InterruptedException {
        StringBuilder line = new StringBuilder(name).append(':');
        for (int batch = 0; batch < batches; batch++) {
            int sum = 0;
            long begin = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                sum += operation.run();
            }
            line.append(' ').append((double) (System.nanoTime() - begin) / calls);
            sink = sum;
        }
        System.out.println(line);
    }

    public static void main(String[] args) throws InterruptedException {
        batches = Integer.parseInt(args[1]);
        calls = Integer.parseInt(args[2]);
        byte[] message = new byte[64];
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        int[] first = new int[1];
        try (Channel channel = Channel.open(args[0])) {
            measure("put", () -> {
                channel.put(message);
                return 0;
            });
            measure("get", () -> channel.poll(Option.LAST, Option.COPY)[0]);
            measure("get into", () -> {
                channel.tryGet(buffer.clear(), Duration.ZERO, Option.LAST, Option.COPY);
                return buffer.get(0);
            });
            measure("view", () -> {
                channel.view(b -> first[0] = b.get(0), Option.LAST, Option.COPY);
                return first[0];
            });
        }
    }
}
