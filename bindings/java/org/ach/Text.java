// SPDX-License-Identifier: BSD-3-Clause
package org.ach;

import java.nio.charset.StandardCharsets;

/** Texts in UTF-8, as C has them. */
final class Text {
    private Text() {
    }

    /** Refuses a NUL, which would end the text in C. */
    static byte[] bytes(String text) {
        if (text == null) {
            return null;
        }
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a text with a NUL in it");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String of(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
