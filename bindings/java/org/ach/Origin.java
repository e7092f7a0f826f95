// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

/**
 * Where a relayed message was first put; all 0: into this channel.
 *
 * @param epoch of that channel
 * @param seq   of the message in that channel
 * @param stamp its timestamp there, in nanoseconds; 0: it had none
 */
public record Origin(long epoch, long seq, long stamp) {
}
