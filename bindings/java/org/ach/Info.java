// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

/**
 * Facts about a channel and a handle, as ach_channel_info returns them.
 *
 * @param kind          which memory holds it
 * @param clock         the id of its clock
 * @param count         messages it keeps at most
 * @param size          nominal size of a message
 * @param capacity      the largest message
 * @param memory        bytes of memory in all
 * @param newest        sequence of the newest message, 0 if there was none
 * @param oldest        sequence of the oldest one still there, 0 if none
 * @param recovered     writers that died while putting
 * @param inode         of the file
 * @param mode          permissions of the file
 * @param uid           owner of the file
 * @param gid           group of the file
 * @param timestamps    messages are stamped
 * @param singleWriter  only the source may put
 * @param readonlyWake  read-only subscribers can sleep
 * @param unlinked      the channel's name was removed
 * @param replaced      another channel replaced this one
 * @param readonly      the handle cannot put
 * @param source        the handle holds the source lock
 * @param sourced       any handle holds it
 * @param seen          sequence of the last message got or flushed
 * @param received      messages that the handle got
 * @param missed        messages overwritten or skipped before the handle got them
 * @param overtaken     reads restarted because a writer overwrote them
 * @param slept         times the handle slept in a wait
 * @param ready         mechanism of its descriptor
 * @param sourcePid     process that holds the source lock; 0: none, or unknown
 * @param epoch         a random number of the channel
 * @param relayed       messages have an origin
 * @param typed         the channel has a type
 * @param anticipated   receivers that anticipate spare puts the system call
 */
public record Info(Kind kind, int clock, long count, long size, long capacity, long memory,
                   long newest, long oldest, long recovered, long inode, int mode, int uid,
                   int gid, boolean timestamps, boolean singleWriter, boolean readonlyWake,
                   boolean unlinked, boolean replaced, boolean readonly, boolean source,
                   boolean sourced, long seen, long received, long missed, long overtaken,
                   long slept, Ready ready, int sourcePid, long epoch, boolean relayed,
                   boolean typed, boolean anticipated) {
    /** How many numbers C returns. */
    static final int COUNT = 32;

    /** In the order of native/channel.c. */
    static Info of(long[] v) {
        return new Info(Kind.of((int) v[0]), (int) v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8],
                        v[9], (int) v[10], (int) v[11], (int) v[12], v[13] != 0, v[14] != 0,
                        v[15] != 0, v[16] != 0, v[17] != 0, v[18] != 0, v[19] != 0, v[20] != 0,
                        v[21], v[22], v[23], v[24], v[25], Ready.of((int) v[26]), (int) v[27],
                        v[28], v[29] != 0, v[30] != 0, v[31] != 0);
    }
}
