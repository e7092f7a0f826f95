/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.pml - steps that wait for their line in a trace (see README.md)
 *
 * trace.h holds the trace as a C array. A step is possible only if it is the next line of the
 * trace; a killed actor goes to its label `killed` instead. If the whole trace was followed, the
 * assertion in judge fails. Traces hold whole commit words, with the layout of layout.h.
 */
#define num int
#define SEQ_BITS 134217726
#define NONE 2147483647
#define CELL(put, i) ((put) * 4096 + (i))
#define INLINE 1073741824

/* Number of cells of a message that exceeds the channel's capacity. */
#define TOO_LARGE 1000000

c_decl {
\#include "trace.h"
static int followed;
static void tell(void)
{
    printf("followed %d\n", followed);
}
}

int t;

#define TRACE_ACTOR c_expr { trace[now.t].actor }
#define TRACE_LABEL c_expr { trace[now.t].label }
#define TRACE_VALUE c_expr { trace[now.t].value }
#define TRACE_SEQ c_expr { trace[now.t].seq }
#define FITS(known, value) ((known) < 0 || (known) == (value))
#define IS(label_) (TRACE_ACTOR == me && TRACE_LABEL == (label_))
#define CALLED(what) (IS(what))
#define NOTE t++; c_code { if (now.t > followed) followed = now.t; }

inline EV(label_, value_)
{
    if
    :: atomic { (IS(label_) && FITS(TRACE_VALUE, value_)) -> NOTE }
    :: atomic { IS(KILL) -> NOTE; goto killed }
    fi
}

inline RETURN(status_, seq_)
{
    if
    :: atomic { (IS(RETURNS) && FITS(TRACE_VALUE, status_) && FITS(TRACE_SEQ, seq_)) -> NOTE }
    :: atomic { IS(KILL) -> NOTE; goto killed }
    fi
}

#define EV_STAMP if :: atomic { IS(PUT_STAMP) -> NOTE } :: true fi
#define MAY_PUT (owner == 0)
#define NO_MORE_PUTS false
#define DIES(allowed) false
#define DIES_WAITING IS(KILL) -> NOTE

proctype judge()
{
    c_code { atexit(tell); };
    t == TRACE_LENGTH;
    assert(false)
}
