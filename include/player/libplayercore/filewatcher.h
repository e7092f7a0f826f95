/* SPDX-License-Identifier: BSD-3-Clause */
/* filewatcher.h - descriptors that end the wait for messages */
#ifndef ACH_PLAYER_FILEWATCHER_H
#define ACH_PLAYER_FILEWATCHER_H

#include <libplayercore/message.h>

class FileWatcher
{
  public:
    FileWatcher();
    virtual ~FileWatcher();

    /* The queue's driver returns from Wait when the descriptor is ready. 0, or -1: not found. */
    int AddFileWatch(int fd, QueuePointer &queue, bool WatchRead = true, bool WatchWrite = false,
                     bool WatchExcept = true);
    int RemoveFileWatch(int fd, QueuePointer &queue, bool WatchRead = true, bool WatchWrite = false,
                        bool WatchExcept = true);
};

#endif
