/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * get.pml - getting a message (src/core/get.c) and sleeping until there is one (wait.c)
 *
 * G4 holds by construction: a reader takes no lock, and the only word it ever changes is the flag.
 */
#define CAPACITY ((SIZES) & 8 -> 3 : ((SIZES) & 4 -> 2 : ((SIZES) & 2 -> 1 : 0)))

#define HAVE_OFF 1
#define HAVE_SIZE 2
#define HAVE_CHECK 4
#define HAVE_COPY 8
#define HAVE_AGAIN 16
#define HAVE_SEQ 32

#define SMALL ((off & INLINE) != 0)
#define CANNOT_WRITE (((READONLY) >> me_) & 1)
#define SLEEPS_ON_WAKE (((WAKE_READERS) >> me_) & 1)
#ifdef REPLAY
#define MAY_GET true
#define NO_MORE_GETS false
#else
#define MAY_GET (busy || k < GETS)
#define NO_MORE_GETS (k == GETS && !busy)
#endif
#define LOADS_IN_ORDER(earlier) (WEAK_GET || (earlier))

/* Bug 2 may load the check too early, bug 3 always does. */
#define MAY_CHECK_EARLY ((BUG == 2 && WEAK_GET) || BUG == 3)

/* Are all bytes of a message of the loaded size copied? */
#define BYTES(n_) ((1 << ((n_) + ((n_) == 0))) - 1)
#define HAVE_BYTES ((copied & BYTES(SMALL -> 0 : size)) == BYTES(SMALL -> 0 : size))
#define SANE (!SMALL || size == 0)

#define MAY_READ(i)                                                                                \
    (!(copied & (1 << (i))) && (have & HAVE_OFF) &&                                                \
     ((i) == 0 || (!SMALL && (i) < CAPACITY)) &&                                                   \
     ((have & HAVE_SIZE) -> ((i) == 0 || (i) < size) : WEAK_GET) &&                                \
     (WEAK_GET || (i) == 0 || (copied & (1 << ((i) - 1)))) && (BUG != 3 || (have & HAVE_CHECK)))

inline choose_options()
{
#ifdef REPLAY
    skip
#else
    if
    :: (OPTS) & 1 -> opts = 0
    :: (OPTS) & 2 -> opts = WAIT
    :: (OPTS) & 4 -> opts = LAST
    :: (OPTS) & 8 -> opts = WAIT + LAST
    :: (OPTS) & 16 -> opts = COPY
    :: (OPTS) & 64 -> opts = LAST + COPY
    fi
#endif
}

/* Set the contents expected in message m. They are known only until its slot is reused. */
inline expect(m)
{
    guessed = m;
    want = put_of[AT(m)];
    want_size = size_of[AT(m)]
}

/*
 * Loads after GET_HEAD may be speculated before the loads that select the message. The loads of
 * a wrong guess are discarded.
 */
inline guess()
{
    if
    :: WEAK_GET && (opts & LAST) && NEWEST > 0 -> expect(NEWEST)
    :: WEAK_GET && !(opts & LAST) && NEWEST > seen -> expect(NEWEST)
    :: WEAK_GET && !(opts & LAST) && NEWEST > seen + 1 && FRAMES > 1 -> expect(NEWEST - 1)
    :: WEAK_GET && !(opts & LAST) && NEWEST > seen + 2 && FRAMES > 2 -> expect(NEWEST - 2)
    :: !WEAK_GET || NEWEST <= seen
    fi
}

inline load_off()
{
    off = e_off[AT(guessed)];
    have = have | HAVE_OFF
}

inline load_size()
{
    size = e_size[AT(guessed)];
    have = have | HAVE_SIZE;
    bad = bad || size != want_size
}

inline load_check()
{
    valid = e_seq[AT(guessed)] == guessed;
    have = have | HAVE_CHECK
}

/* G2: is this cell what the put of the message wrote? */
inline read_cell(i)
{
    if
    :: SMALL -> bad = bad || e_small[AT(guessed)] != CELL(want, i)
    :: else -> bad = bad || ((i == 0 || i < want_size) &&
                             ring[(off + i) % RING] != CELL(want, i))
    fi;
    copied = copied | (1 << i)
}

#define MAY_LOAD_OFF (!(have & HAVE_OFF))
#define MAY_LOAD_SIZE (!(have & HAVE_SIZE) && LOADS_IN_ORDER(have & HAVE_OFF))

#if WEAK_GET
#define EARLY_LOADS(back)                                                                          \
    :: atomic { guessed && MAY_LOAD_OFF -> load_off(); goto back }                                 \
    :: atomic { guessed && MAY_LOAD_SIZE -> load_size(); goto back }                               \
    :: atomic { guessed && MAY_READ(0) -> read_cell(0); goto back }                                \
    :: atomic { guessed && MAY_READ(1) -> read_cell(1); goto back }                                \
    :: atomic { guessed && MAY_READ(2) -> read_cell(2); goto back }
#else
#define EARLY_LOADS(back)
#endif

#ifdef REPLAY
inline read_all()
{
    d_step {
        s_ = 0;
        do
        :: s_ < want_size && !SMALL ->
            bad = bad || ring[(off + s_) % RING] != CELL(want, s_);
            s_++
        :: else -> break
        od;
        bad = bad || (SMALL && e_small[AT(guessed)] != CELL(want, 0));
        s_ = 0
    };
    have = have | HAVE_COPY
}
#endif

/* G3: a skipped message is void, before `first`, or older than the last FRAMES. */
inline check_skipped()
{
    d_step {
        s_ = seen + 1;
        do
        :: s_ < seq && !(opts & LAST) ->
            assert(e_seq[AT(s_)] != s_ || s_ < first || s_ + FRAMES <= NEWEST);
            s_++
        :: else -> break
        od;
        s_ = 0
    }
}

inline forget_loads()
{
    want = 0; want_size = 0; off = 0; size = 0; have = 0; copied = 0; bad = 0; valid = 0
}

inline forget_try()
{
    forget_loads(); newest = 0; seq = 0; guessed = 0
}

inline forget_call()
{
    known = 0; opts = 0; c = 0; tries = 0; busy = 0
}

proctype reader(byte me_)
{
    byte me = me_ + READER_0;
    byte k, opts, tries, have;
    num copied, seen, got, known, c, newest, seq, guessed, want, want_size, off, size;
    bit busy, bad, valid;
#if WAKE_WRITERS
    bit settled;
#endif
#if WAKE_READERS
    num w;
#endif

next:
#ifdef REPLAY
    atomic { CALLED(CALL_GET) -> opts = TRACE_VALUE; NOTE };
#endif
retry:
    if
    :: atomic { MAY_GET ->
        EV(GET_HEAD, commit);
#if WAKE_READERS
        alone[me_] = 0;
        w = 0;
#endif
        c = commit;
        if
        :: !busy -> busy = 1; choose_options(); known = NEWEST
        :: else
        fi;
        guess() }
#if BUG == 7
    /* What GET_SEQ would load, loaded before GET_HEAD. */
    :: atomic { MAY_GET && !(have & HAVE_SEQ) ->
        seq = NEWEST + 1;
        newest = e_seq[AT(seq)];
        have = have | HAVE_SEQ;
        goto retry }
#endif
    :: NO_MORE_GETS -> goto dead
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
look:
    if
    :: atomic {
        EV(GET_SEQ, e_seq[AT(SEQ(c))]);
        if
        :: (have & HAVE_SEQ) && seq == SEQ(c)
        :: else -> newest = e_seq[AT(SEQ(c))]
        fi;
        if
        :: newest == SEQ(c) -> goto found
        :: else
        fi;
        EV(GET_AGAIN_FENCE, 0) }
    EARLY_LOADS(look)
#if BUG == 16
    /* What GET_AGAIN would load, loaded before GET_SEQ. */
    :: atomic { NEWEST == SEQ(c) && !(have & HAVE_AGAIN) ->
        have = have | HAVE_AGAIN;
        goto look }
#endif
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
    if
    :: atomic {
        EV(GET_AGAIN, commit);
        /* G2: an intact channel is never reported as corrupt. */
        assert(NEWEST != SEQ(c) && !(have & HAVE_AGAIN));
        goto overtaken }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;

found:
    atomic {
        assert(newest >= seen);
        if
        :: newest == seen ->
            EV(GET_STATE, 0);
            if
            :: state == REPLACED -> RETURN(CORRUPT, 0); goto finish
            :: else
            fi;
            /* G1: "nothing new" is returned only if there was nothing new. */
            assert(known <= seen);
            if
            :: newest == 0 || !(opts & COPY) -> goto nothing
            :: else
            fi
        :: else
        fi;
        if
        :: newest == seen || (opts & LAST) -> seq = newest; goto take
        :: else -> seq = seen + 1
        fi;
        if
        :: newest >= FRAMES && seq <= newest - FRAMES -> seq = newest - FRAMES + 1
        :: else
        fi;
        if
        :: seq >= newest -> goto take
        :: else
        fi
    };
oldest:
    if
    :: atomic {
        EV(GET_SEQ, e_seq[AT(seq)]);
        if
        :: e_seq[AT(seq)] == seq -> goto take
        :: else
        fi }
    EARLY_LOADS(oldest)
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
hint:
    if
    :: atomic {
        EV(GET_FIRST, first);
        if
        :: first > seq && first <= newest -> seq = first
        :: else
        fi }
    EARLY_LOADS(hint)
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
walk:
    do
    :: atomic { seq < newest ->
        EV(GET_SEQ, e_seq[AT(seq)]);
        if
        :: e_seq[AT(seq)] == seq -> break
        :: else -> seq++
        fi }
    :: atomic { seq >= newest -> break }
    EARLY_LOADS(walk)
    :: atomic { DIES(KILL_READERS && seq < newest); goto dead }
    od;

take:
    atomic {
        newest = 0;
        if
        :: guessed == seq
        :: else -> forget_loads(); expect(seq)
        fi };
    do
    :: atomic { MAY_LOAD_OFF -> EV(GET_OFF, 0); load_off() }
    :: atomic { MAY_LOAD_SIZE -> EV(GET_SIZE, 0); load_size(); EV(GET_STAMP, 0) }
#ifdef REPLAY
    :: atomic { (have & HAVE_SIZE) && (have & HAVE_OFF) && !(have & HAVE_COPY) ->
        if
        :: SANE -> EV(GET_COPY, 0)
        :: else
        fi;
        read_all() }
    :: (have & HAVE_COPY) -> break
#else
    :: atomic { MAY_READ(0) -> EV(GET_COPY, 0); read_cell(0) }
    :: atomic { MAY_READ(1) -> EV(GET_COPY, 0); read_cell(1) }
    :: atomic { MAY_READ(2) -> EV(GET_COPY, 0); read_cell(2) }
    :: atomic { MAY_CHECK_EARLY && !(have & HAVE_CHECK) -> load_check() }
    :: atomic { (have & HAVE_OFF) && (have & HAVE_SIZE) && (HAVE_BYTES || !SANE) -> break }
#endif
    :: atomic { DIES(KILL_READERS); goto dead }
    od;
    if
    :: atomic {
        EV(GET_FENCE, 0);
        EV(GET_CHECK, e_seq[AT(seq)]);
        if
        :: have & HAVE_CHECK
        :: else -> valid = e_seq[AT(seq)] == seq
        fi;
        if
        :: !valid -> goto overtaken
        :: else
        fi;
        assert(SANE && !bad && SMALL == (want_size == 0));           /* G2 */
        assert(!(opts & LAST) || seq >= known);                         /* G1 */
        check_skipped();
        /* G3 */
        c = ((seq > seen + 1) -> MISSED_FRAME : OK);
        assert((c == MISSED_FRAME) == (seq > got + 1));
        assert(seq > got || (seq == got && (opts & COPY)));
        seen = (BUG == 19 -> seen + 1 : seq);
        got = seq;
        RETURN(c, seq);
        goto finish }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;

overtaken:
    atomic {
        forget_try();
        tries++;
        if
        :: tries < TRIES -> goto retry
        :: else ->
            /* There is a newer message: keep an outdated commit word, so that no sleep succeeds. */
            if
            :: BUG != 21 -> c = c - ONE_MESSAGE
            :: else
            fi
        fi
    };

nothing:
    atomic {
        forget_try();
        tries = 0;
        if
        :: !(opts & WAIT) -> RETURN(EAGAIN, 0); goto finish
        :: else
        fi
    };
#if WAKE_WRITERS
    /*
     * A waiter that may write but lacks the wake word sets commit_sleepers. It sleeps only once no
     * put is under way, because that put may have loaded commit_sleepers before.
     */
    if
    :: !SLEEPS_ON_WAKE && !CANNOT_WRITE && !settled ->
        if
        :: atomic { commit_sleepers = (BUG != 30) }
        :: atomic { DIES(KILL_READERS); goto dead }
        fi;
        if
        :: atomic { owner == 0 || BUG == 28 -> settled = 1 }
        :: atomic { owner != 0 && BUG != 28 -> goto retry } /* the library sleeps briefly here */
        :: atomic { DIES(KILL_READERS); goto dead }
        fi
    :: else
    fi;
#endif
#if BUG == 37
    alone[me_] = SLEEPS_ON_WAKE && !both_words && SEQ(announced) != SEQ(c) + 1;
#endif
    if
    :: atomic {
        if
        :: !(c & FLAG) && !CANNOT_WRITE ->
#if BUG == 12
            flag_word = 1
#else
            EV(WAIT_RAISE, 0);
            if
            :: BUG == 17 -> commit = c | FLAG; c = c | FLAG
            :: BUG != 17 && commit == c -> commit = c | FLAG; c = c | FLAG
            :: BUG != 17 && commit != c -> goto retry
            fi
#endif
        :: else
        fi }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
#if WAKE_READERS && BUG != 35
    /* Load the wake word before the state and the cancel: their writers change the wake word. */
    if
    :: atomic { w = announced }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
#endif
    if
    :: atomic { EV(WAIT_STATE, 0);
        if
        :: state == REPLACED -> goto retry
        :: else
        fi }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
#if CANCEL
    if
    :: atomic { canceled[me_] && BUG != 23 -> goto finish }
    :: atomic { !canceled[me_] || BUG == 23 }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
#endif
#if BUG == 35
    w = announced;
#endif
#if WAKE_READERS
    /*
     * Sleep on the wake word alone if that is allowed, the next commit is not announced, and the
     * commit word is unchanged. Otherwise sleep in futex_waitv, which compares and queues on
     * the wake word, then on the commit word.
     */
#if BUG != 37
    if
    :: atomic { alone[me_] = SLEEPS_ON_WAKE && !both_words && (SEQ(w) != SEQ(c) + 1 || BUG == 26) }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
#endif
    if
    :: atomic { alone[me_] = alone[me_] && (commit == c || BUG == 36) }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
    if
    :: atomic { alone[me_] ->
        if
        :: announced != w -> goto retry
        :: else
        fi;
        assert(BUG == 26 || BUG == 36 || NEWEST == seen);
        on_wake[me_] = 1;
        asleep[me_] = 1;
        w = 0;
        c = 0;
        goto sleeps }
    :: !alone[me_]
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
#if BUG == 27
    if
    :: commit != c -> goto retry
    :: else
    fi;
#endif
    if
    :: atomic { SLEEPS_ON_WAKE ->
        if
        :: announced != w -> goto retry
        :: else
        fi;
        w = 0;
        on_wake[me_] = 1 }
    :: !SLEEPS_ON_WAKE
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
#endif
    if
    :: atomic {
        EV(SLEEP, (commit == c));
        if
        :: commit != c && BUG != 10 && BUG != 27 -> on_wake[me_] = 0; goto retry
        :: SLEEPS_ON_WAKE && !on_wake[me_] -> goto retry /* woken meanwhile */
        :: CANNOT_WRITE && canceled[me_] -> goto finish /* a read-only reader's cancel word */
        :: else
        fi;
        /* G6: a reader that goes to sleep has seen the newest message. */
        assert(BUG == 10 || BUG == 27 || NEWEST == seen);
        asleep[me_] = 1;
        on_commit[me_] = 1;
        c = 0 }
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;
sleeps:
    if
#if WAKE_READERS
    /* The end of a slice. It is modelled only where somebody waits until all sleep on both words. */
    :: atomic { alone[me_] && both_words -> asleep[me_] = 0; on_wake[me_] = 0; goto retry }
#endif
    :: atomic { !asleep[me_] ->
        EV(WAKE, 0);
        if
        :: canceled[me_] -> goto finish
        :: else -> goto retry
        fi }
#ifndef REPLAY
    :: atomic { timeout ->
        /* G6: when no step is left, no reader sleeps with a new message, or after a cancel. */
        assert(NEWEST == seen && state != REPLACED && !canceled[me_]);
        goto dead }
#endif
    :: atomic { DIES(KILL_READERS); goto dead }
    fi;

finish:
    atomic { forget_try(); forget_call(); k++; goto next };
killed:
dead:
    atomic { asleep[me_] = 0; on_wake[me_] = 0; on_commit[me_] = 0; alone[me_] = 0;
        forget_try(); forget_call(); k = 0; seen = 0; got = 0 }
}
