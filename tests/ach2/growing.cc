/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ with the C functions: messages of unknown size, in a buffer that grows. */
#include "ach2.h"

#include <string>
#include <vector>

static std::string get_string(ach_channel_t *chan)
{
    static std::vector<char> buf(4);
    size_t frame_size = 0;
    ach_status_t r = ach_get(chan, &buf[0], buf.size(), &frame_size, NULL, ACH_O_WAIT);

    if (ACH_OVERFLOW == r) {
        buf.resize(frame_size);
        r = ach_get(chan, &buf[0], buf.size(), &frame_size, NULL, ACH_O_WAIT);
    }
    CHECK(ACH_OK == r || ACH_MISSED_FRAME == r);
    return std::string(&buf[0], frame_size);
}

int main()
{
    ach_channel_t in, out;

    make_channel(&in, "growing");
    CHECK(ach_open(&out, "growing", NULL) == ACH_OK);
    for (size_t n = 1; n <= 64; n *= 2) {
        const std::string text(n, 'a');
        CHECK(ach_put(&out, text.data(), text.size()) == ACH_OK);
        CHECK(get_string(&in) == text);
    }
    for (int i = 0; i < 100; i++)
        CHECK(ach_put(&out, &i, sizeof(i)) == ACH_OK);
    CHECK(get_string(&in).size() == sizeof(int)); /* the oldest that is left */
    CHECK(ach_close(&in) == ACH_OK && ach_close(&out) == ACH_OK && ach_unlink("growing") == ACH_OK);
    return 0;
}
