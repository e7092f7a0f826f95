/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * put.pml - putting a message (src/core/put.c), the writers' lock (src/libach/lock.c)
 *
 * The stores of a put, numbered in program order. A dying writer has issued those whose number is
 * below `issued`:
 *
 *   0 PUT_EVICT..  1 PUT_FIRST_MOVE  2 PUT_VOID  (PUT_FENCE)
 *   3 PUT_COPY..  5 PUT_POS, PUT_OFF  6 PUT_SIZE  7 PUT_SEQ  then the commit
 */
#define MOVED 1
#define VOIDED 2
#define COPIED 4
#define OFFED 8
#define SIZED 16
#define NAMED 32
#define COMMITTED 64

#define EVICTED (f == f_end)
#define IN_ORDER(earlier) (WEAK_PUT || (earlier))
#define ISSUED(store) (!dying || (store) < issued)

/* May the bytes of the new message be written? */
#define ROOM_IS_OURS ((did & VOIDED) || BUG == 4 || (BUG == 1 && WEAK_PUT))
/* May entries be voided? Bug 4 does it after the copy, bug 18 after it moved `first`. */
#define MAY_VOID ((BUG != 4 || (did & COPIED)) && (BUG != 18 || (did & MOVED)))
#define FILLED ((did & (VOIDED | COPIED | OFFED | SIZED)) == (VOIDED | COPIED | OFFED | SIZED))
#define MAY_NAME (FILLED || (WEAK_PUT && (did & VOIDED)))
/* Bugs 8 and 9 commit before the entry is complete. */
#define MAY_COMMIT ((FILLED && (did & NAMED)) || (BUG == 8 && WEAK_PUT && (did & VOIDED)) || \
                    (BUG == 9 && (did & VOIDED)))

/* Has a dying writer issued stores that are not visible yet? */
#define STORES_TO_COME                                                                             \
    ((issued > 0 && !EVICTED && MAY_VOID) || (issued > 1 && !(did & MOVED)) ||                     \
     (issued > 2 && !(did & VOIDED) && MAY_VOID) ||                                                \
     MAY_WRITE(0) || MAY_WRITE(1) || MAY_WRITE(2) ||                                               \
     (issued > 5 && !(did & OFFED)) || (issued > 6 && !(did & SIZED)))

#if BUG == 8 || BUG == 9
#define GO_ON goto store
#else
#define GO_ON goto unlock
#endif

#if BUG == 13
#define SPARES_NEWEST false
#else
#define SPARES_NEWEST true
#endif

inline choose_size()
{
#ifdef REPLAY
    skip
#else
    if
    :: (SIZES) & 1 -> n = 0
    :: (SIZES) & 2 -> n = 1
    :: (SIZES) & 4 -> n = 2
    :: (SIZES) & 8 -> n = 3
    fi
#endif
}

/* Find the end of the newest message in the ring. */
inline find_end()
{
    EV(PUT_HEAD, commit);
    seq = NEWEST;
    EV(PUT_LAST, e_seq[AT(seq)]);
    assert(e_seq[AT(seq)] == seq);
    EV(PUT_LAST_POS, 0);
    pos = e_pos[AT(seq)];
    EV(PUT_LAST_OFF, 0);
    off = e_off[AT(seq)];
    EV(PUT_LAST_SIZE, 0);
    if
    :: off & INLINE -> off = off - INLINE
    :: else ->
        pos = pos + e_size[AT(seq)];
        off = (off + e_size[AT(seq)]) % RING
    fi;
    EV(PUT_STATE, 0);
    seq++
}

/* Find the entries to evict. Only the owner of the lock changes what this reads. */
inline find_victims()
{
    f = first;
    if
    :: seq > MASK && f < seq - MASK -> f = seq - MASK
    :: else
    fi;
    f_end = f;
    do
    :: f_end < seq && pos + n - e_pos[AT(f_end)] > RING ->
        assert(!SPARES_NEWEST || f_end != seq - 1);
        f_end++
    :: else -> break
    od
}

inline make_plan()
{
    did = 0;
    copied = 0;
    if
    :: n == 0 ->
        off = off + INLINE;
        f = 0;
        f_end = 0;
        did = MOVED
    :: else ->
        EV(PUT_FIRST, first);
        find_victims();
        if
        :: f < seq -> EV(PUT_OLD_POS, 0)
        :: else
        fi;
        if
        :: f_end == first -> did = MOVED
        :: else
        fi
    fi;
    if
    :: BUG == 5 -> did = did | VOIDED
    :: else
    fi
}

inline evict_one()
{
    EV(PUT_EVICT, NONE);
    assert(f != NEWEST || !SPARES_NEWEST);
    if
    :: BUG != 6 -> e_seq[AT(f)] = NONE
    :: else
    fi;
    f++;
    if
    :: f < seq -> EV(PUT_OLD_POS, 0)
    :: else
    fi
}

inline write_cell(i)
{
    if
    :: n == 0 -> e_small[AT(seq)] = CELL(id, i)
    :: else -> ring[(off + i) % RING] = CELL(id, i)
    fi;
    copied = copied | (1 << i);
    if
    :: n == 0 || copied == (1 << n) - 1 -> did = did | COPIED
    :: else
    fi
}

#define MAY_WRITE(i)                                                                               \
    ((i) < n + (n == 0) && !(did & COPIED) && !(copied & (1 << (i))) && ROOM_IS_OURS &&            \
     (ISSUED(3) || (copied >> ((i) + 1))) && (WEAK_PUT || (i) == 0 || (copied & (1 << ((i) - 1)))))

#ifdef REPLAY
inline write_all()
{
    if
    :: n == 0 -> e_small[AT(seq)] = CELL(id, 0)
    :: else ->
        copied = 0;
        do
        :: copied < n -> ring[(off + copied) % RING] = CELL(id, copied); copied++
        :: else -> break
        od
    fi;
    did = did | COPIED
}
#endif

/* Record that the message exists. */
inline note_commit()
{
    put_of[AT(NEWEST)] = id;
    size_of[AT(NEWEST)] = n;
    did = did | COMMITTED
}

/* Wake the readers that are queued on the wake word, on the commit word, or on either. */
inline wake(wake_word, commit_word)
{
    d_step {
        s_ = 0;
        do
        :: s_ < READERS ->
            if
            :: (wake_word && on_wake[s_]) || (commit_word && on_commit[s_]) ->
                asleep[s_] = 0; on_wake[s_] = 0; on_commit[s_] = 0
            :: else
            fi;
            s_++
        :: else -> break
        od;
        s_ = 0
    }
}

inline wake_all()
{
    wake(true, true)
}

#define HAS_WAKE_WORD (((WAKE_WRITERS) >> me) & 1)

#if WAKE_WRITERS
#define WAKE_FOR_PUT wake(HAS_WAKE_WORD, both)
#else
#define WAKE_FOR_PUT wake_all()
#endif

#if WAKE_READERS
#define NOBODY_ALONE (!alone[0] && !alone[READERS - 1])
#endif

/* G6: a commit leaves no reader asleep, whether it wakes readers or not. */
inline check_nobody_sleeps()
{
    d_step {
        s_ = 0;
        do
        :: s_ < READERS -> assert(!asleep[s_]); s_++
        :: else -> break
        od;
        s_ = 0
    }
}

/* A writer dies now. It has issued at least all stores before the last one that is visible. */
inline count_issued()
{
    if
    :: BUG == 18 -> issued = 0
    :: (did & NAMED) && BUG != 18 -> issued = 8
    :: else ->
        if
        :: did & SIZED -> issued = 6
        :: else ->
            if
            :: did & OFFED -> issued = 5
            :: else ->
                if
                :: copied || (did & COPIED) -> issued = 3
                :: else ->
                    if
                    :: did & VOIDED -> issued = 2
                    :: else ->
                        if
                        :: did & MOVED -> issued = 1
                        :: else -> issued = 0
                        fi
                    fi
                fi
            fi
        fi
    fi
}

/* Clear the variables that the next put does not need, for fewer states. */
inline forget()
{
    seq = 0; pos = 0; off = 0; f = 0; f_end = 0; c = 0; n = 0; did = 0; copied = 0;
    issued = 0; dying = 0; id = 0
}

proctype writer(byte me)
{
    byte did, issued;
    num n, copied, id, seq, pos, off, f, f_end, c;
    bit dying;
#if WAKE_WRITERS
    bit both;
#endif

#if WAKE_READERS
    /*
     * A handle that has not mapped the wake word sets `both_words` when it is opened. Then it waits
     * until the flag is down, or for one slice: until no reader sleeps on the wake word alone.
     */
    if
    :: !HAS_WAKE_WORD ->
        both_words = (BUG != 31);
        if
        :: NOBODY_ALONE || !(commit & FLAG) || BUG == 29
        :: NO_MORE_PUTS -> goto done
        fi
    :: else
    fi;
#endif
next:
#ifdef REPLAY
    atomic { CALLED(CALL_PUT) -> n = TRACE_VALUE; NOTE };
    if
    :: n == TOO_LARGE -> RETURN(OVERFLOW, 0); goto next
    :: else
    fi;
#endif
    if
    :: atomic { MAY_PUT -> owner = me + 1;
        choose_size();
        puts++;
        id = puts;
        find_end();
        if
        :: state == REPLACED -> owner = 0; RETURN(CORRUPT, 0); forget(); goto next
        :: else
        fi;
        make_plan() }
    :: atomic { DIES_WAITING; forget(); goto next }
    :: NO_MORE_PUTS -> goto done
    fi;
store:
    do
    :: atomic { !EVICTED && MAY_VOID && ISSUED(0) -> evict_one(); check_memory() }
    :: atomic { !(did & MOVED) && ISSUED(1) && IN_ORDER(EVICTED || BUG == 18) ->
        EV(PUT_FIRST_MOVE, f_end);
        first = f_end;
        did = did | MOVED }
    :: atomic { EVICTED && (did & MOVED) && !(did & VOIDED) && MAY_VOID && ISSUED(2) ->
        EV(PUT_VOID, NONE);
        /* G5: an entry is reused only if its message is older than the last FRAMES. */
        assert(e_seq[AT(seq)] == NONE || e_seq[AT(seq)] == seq ||
               e_seq[AT(seq)] + FRAMES <= NEWEST);
        e_seq[AT(seq)] = NONE;
        did = did | VOIDED;
        EV(PUT_FENCE, 0);
        check_memory() }
#ifdef REPLAY
    :: atomic { (did & VOIDED) && !(did & COPIED) -> EV(PUT_COPY, 0); write_all() }
#else
    :: atomic { MAY_WRITE(0) -> EV(PUT_COPY, 0); write_cell(0); check_memory() }
    :: atomic { MAY_WRITE(1) -> EV(PUT_COPY, 0); write_cell(1); check_memory() }
    :: atomic { MAY_WRITE(2) -> EV(PUT_COPY, 0); write_cell(2); check_memory() }
#endif
    :: atomic { !(did & OFFED) && ROOM_IS_OURS && ISSUED(5) && IN_ORDER(did & COPIED) ->
        EV(PUT_POS, 0);
        e_pos[AT(seq)] = pos;
        EV(PUT_OFF, 0);
        e_off[AT(seq)] = off;
        did = did | OFFED;
        check_memory() }
    :: atomic { !(did & SIZED) && ROOM_IS_OURS && ISSUED(6) && IN_ORDER(did & OFFED) ->
        EV(PUT_SIZE, 0);
        e_size[AT(seq)] = n;
        did = did | SIZED;
        EV_STAMP;
        check_memory() }
    :: atomic { !(did & NAMED) && MAY_NAME && ISSUED(7) ->
        EV(PUT_SEQ, seq);
        e_seq[AT(seq)] = seq;
        did = did | NAMED;
        check_memory() }
    :: atomic { MAY_COMMIT && !(did & COMMITTED) && !dying -> goto do_commit }
#if BUG
    :: atomic { (did & COMMITTED) && (did & NAMED) -> goto unlock }
#endif
    :: atomic { DIES(!dying && !(did & COMMITTED)); dying = 1; count_issued() }
    :: atomic { dying && !STORES_TO_COME -> goto buried }
    od;
do_commit:
#if BUG == 12
    /* The flag in a separate word: commit; check the flag and wake; clear the flag. */
    atomic { commit = commit + ONE_MESSAGE; note_commit(); check_memory() };
    atomic {
        if
        :: flag_word -> wake_all()
        :: else -> goto store
        fi };
    atomic { flag_word = 0; goto store };
#endif
    if
    :: atomic { EV(PUT_WAITER, commit); c = commit }
    :: atomic { DIES(true); goto buried }
    fi;
    if
    :: atomic { !(c & FLAG) ->
        EV(PUT_READONLY, 0);
        if
        :: !READONLY ->
            EV(PUT_COMMIT, commit + (commit == c) * ONE_MESSAGE);
            if
            :: commit == c || BUG == 20 ->
                commit = c + ONE_MESSAGE;
                note_commit();
                check_nobody_sleeps();
                check_memory();
                GO_ON
            :: else -> c = commit
            fi
        :: else
        fi }
    :: c & FLAG
    :: atomic { DIES(true); goto buried }
    fi;
commit_wake:
#if WAKE_WRITERS
    if
    :: atomic { HAS_WAKE_WORD && BUG != 32 && BUG != 33 ->
        announced = commit + ((c & FLAG) -> ONE_MESSAGE - FLAG : ONE_MESSAGE) }
    :: !HAS_WAKE_WORD || BUG == 32 || BUG == 33
    :: atomic { DIES(true); goto buried }
    fi;
    if
    :: atomic { both = commit_sleepers || READONLY || !HAS_WAKE_WORD }
    :: atomic { DIES(true); goto buried }
    fi;
#endif
    if
    :: atomic {
        EV(PUT_COMMIT_WAKE, commit + ((c & FLAG) -> ONE_MESSAGE - FLAG : ONE_MESSAGE));
        commit = commit + ((c & FLAG) -> ONE_MESSAGE - FLAG : ONE_MESSAGE);
#if LOWER
        /* The flag was lowered, and the addition has raised it again: nothing is committed yet. */
        if
        :: NEWEST != seq && BUG != 38 -> WAKE_FOR_PUT; c = c - FLAG; goto commit_wake
        :: else
        fi;
#endif
        note_commit();
        check_memory();
        if
        :: BUG != 11 ->
            WAKE_FOR_PUT;
#if WAKE_WRITERS
            both = 0;
            check_nobody_sleeps();
#endif
            GO_ON
        :: else
        fi }
    :: atomic { DIES(true); goto buried }
    fi;
    if
    :: atomic { wake_all(); GO_ON }
    :: atomic { DIES(true); goto buried }
    fi;
unlock:
#if BUG == 33
    if
    :: HAS_WAKE_WORD -> announced = commit
    :: else
    fi;
#endif
    if
    :: atomic { assert(NEWEST == seq); owner = 0; RETURN(OK, seq); forget() }
    :: atomic { DIES(true); goto buried }
    fi;
    goto next;

    /* The kernel frees a dead writer's lock. Another process takes its place. */
killed:
buried:
    atomic {
        if
        :: BUG != 14 -> owner = 0
        :: else -> owner = 77
        fi;
        forget();
        goto next
    };
done:
    skip
}

#if LOWER
/*
 * A reader whose window is open, at any time: clear the flag and wake on the commit word, in one
 * step. Bug 39 does not wake. Before, it sees to it that nobody sleeps on the wake word alone: it
 * sets `both_words`, and lets a commit pass. Bug 40 does not set it, bug 41 does not wait, bug 42
 * loads the commit word before it sets it.
 */
proctype lowerer()
{
    byte lowered;
#if WAKE_READERS
    byte then;

    if
    :: BUG == 42 -> then = NEWEST; both_words = 1
    :: BUG != 42 -> both_words = (BUG != 40); then = NEWEST
    fi;
    if
    :: NEWEST != then || BUG == 41
    :: NO_MORE_PUTS && owner == 0 -> goto done
    fi;
#endif
    do
    :: lowered < LOWER -> atomic {
        commit = commit - (commit & FLAG);
        wake(false, BUG != 39);
        lowered++ }
    :: lowered == LOWER -> break
    od;
done:
    skip
}
#endif

#if RETIRE || CANCEL
#define RETIRES (what == READERS)
#define CANCELS_READONLY (!RETIRES && (((READONLY) >> what) & 1))

inline tell()
{
    if
    :: RETIRES -> state = RETIRE
    :: else -> canceled[what] = 1
    fi
}

#define CANCELS_ON_WAKE (!RETIRES && (((WAKE_READERS) >> what) & 1))

/*
 * achi_retire and ach_cancel: store the state or the cancel, then nudge: increment a count in the
 * wake word, then increment one in the commit word and wake, in one step. Bug 22 does not count,
 * bug 24 nudges first, bug 25 has a count of one bit, bug 34 leaves the wake word unchanged. The
 * cancel of a read-only handle wakes on its cancel word. Retiring wakes on both words, a cancel on
 * the wake word if its handle sleeps there, else on the commit word.
 */
proctype teller(byte what)
{
    if
    :: BUG != 24 -> tell()
    :: else
    fi;
#if WAKE_READERS
    if
    :: !CANCELS_READONLY && BUG != 34 -> announced = announced + NUDGE
    :: else
    fi;
#endif
    atomic {
        if
        :: CANCELS_READONLY -> asleep[what] = 0; on_commit[what] = 0
        :: !CANCELS_READONLY && BUG == 25 -> commit = commit ^ NUDGE; wake_all()
        :: !CANCELS_READONLY && BUG == 22 -> wake_all()
        :: else -> commit = commit + NUDGE; wake(RETIRES || CANCELS_ON_WAKE, !CANCELS_ON_WAKE)
        fi
    };
    if
    :: BUG == 24 -> tell()
    :: else
    fi
}
#endif
