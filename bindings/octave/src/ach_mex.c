/* SPDX-License-Identifier: BSD-3-Clause */
/* ach_mex.c - the function ach_mex, which the functions ach_* call */
#include "gateway.h"

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    oct_gateway(nlhs, plhs, nrhs, prhs);
}
