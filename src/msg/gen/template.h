/* SPDX-License-Identifier: BSD-3-Clause */
/* template.h - text with placeholders for the parts of a struct and a field */
#ifndef GEN_TEMPLATE_H
#define GEN_TEMPLATE_H

#include <stdio.h>

#include "model.h"

/*
 * Write a text, with these parts in place of $ and a letter. Those of fields need f.
 *
 *     $n  the struct's name, $N in capitals     $t  its tag         $m  its type in the definition
 *     $z  its size in CDR                       $s  its size in C   $x  its fingerprint
 *     $f  the field                             $o  its offset      $p  the padding before it
 *     $c  the type of an element in C           $a  its alignment   $b  its size in CDR
 *     $B  the first element's address           $E  that of element i
 *     $C  how many elements                     $A  the limit of the sequence
 *     $S  the limit of the string               $I  the name of the inner struct
 *     $L  "Struct.field", a literal
 */
void gen_template(FILE *out, const char *text, const struct gen_struct *s,
                  const struct gen_field *f);

#endif
