/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"
#include "tests.h"

int main(void)
{
    fixture_begin();
    test_sessions();
    test_directories();
    test_keys();
    return check_result();
}
