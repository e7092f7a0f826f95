/* SPDX-License-Identifier: BSD-3-Clause */
#include "msg.h"

const char everything[] = "bool yes\n"
                          "float64 far\n"
                          "int8 i8\nuint8 u8\nbyte b\nchar c\nint16 i16\nuint16 u16\n"
                          "int32 i32\nuint32 u32\nint64 i64\nuint64 u64\nfloat32 f32\n"
                          "string text\nstring<=5 short_text\n"
                          "bool[3] three\nint16[2] two\nfloat64[] many\nuint8[<=4] few\n"
                          "string[] names\nstring[2] pair\n"
                          "Inner inner\nother/Inner[] inners\ndemo/msg/Inner[2] both\n"
                          "builtin_interfaces/Time stamp\nduration lasts\n"
                          "demo/Nothing nothing\nuint8 last\n"
                          "================\n"
                          "MSG: demo/Inner\n"
                          "uint8 a\nfloat64 b\nstring s\nuint8 z\n"
                          "===\n"
                          "MSG: other/msg/Inner\n"
                          "demo/Inner[] deep\nint8 tail\n"
                          "===\nMSG: demo/Nothing\n# no fields\nuint8 CONSTANT=3\n";

ach_definition_t *define(const char *name, const char *text)
{
    ach_definition_t *d = NULL;
    enum ach_status status = ach_definition_new(name, text, strlen(text), &d);

    if (status != ACH_OK)
        fprintf(stderr, "%s: %s\n", name, ach_errstr());
    REQUIRE_OK(status);
    return d;
}

int main(void)
{
    test_definitions();
    test_cdr();
    test_ros1();
    return check_result();
}
