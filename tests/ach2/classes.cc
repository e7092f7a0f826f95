/* SPDX-License-Identifier: BSD-3-Clause */
/* The C++ classes of Ach 2. */
#include <Ach.hpp>

#include "ach2.h"

class Counting : public ach::Channel
{
  public:
    int warnings, errors;

    Counting() : warnings(0), errors(0)
    {
    }

  protected:
    virtual void warn_get(ach_status_t)
    {
        warnings++;
    }
    virtual void error_get(ach_status_t)
    {
        errors++;
    }
};

int main()
{
    std::vector<uint8_t> bytes;
    ach::CerrChannel out;
    Counting in, never_opened;
    size_t size = 0;

    CHECK(ach_create("classes", 10, 64, NULL) == ACH_OK);
    out.open("classes");
    CHECK(in.open("classes") == ACH_OK);
    CHECK(in.get(&bytes, 0, &size) == ACH_STALE_FRAMES && in.errors == 1);
    in.get(&bytes, 0, &size, NULL, 0, ACH_MASK_OK | ACH_MASK_STALE_FRAMES);
    in.get(&bytes, 0, &size, NULL, 0, ACH_MASK_OK, ACH_MASK_STALE_FRAMES);
    CHECK(in.errors == 1 && in.warnings == 1);

    out.put("hello", 6);
    CHECK(in.get(&bytes, 2, &size) == ACH_OK && size == 6);
    CHECK(bytes.size() == 8 && std::strcmp(reinterpret_cast<char *>(&bytes[2]), "hello") == 0);
    out.put("bye", 4);
    CHECK(in.get(&bytes, 0, &size) == ACH_OK && size == 4 && bytes.size() == 8);
    CHECK(in.get(&bytes, 0, &size) == ACH_STALE_FRAMES && size == 0);
    out.put("again", 6);
    in.flush();
    char text[16];
    CHECK(in.get(text, sizeof(text), &size, NULL, ACH_O_COPY) == ACH_OK && size == 6);
    CHECK(in.close() == ACH_OK && in.channel.shm == NULL);
    CHECK(ach_unlink("classes") == ACH_OK);
    return 0;
}
