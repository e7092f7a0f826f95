;;; SPDX-License-Identifier: BSD-3-Clause
;;; guard.lisp - foreign memory from malloc, for the address sanitizer
;;;
;;; sbcl --load guard.lisp --script PROGRAM
;;;
;;; CFFI takes small foreign objects from a stack of SBCL, which the sanitizer does not know. Loaded
;;; before the system ach is compiled, this gives each of them its own block of the heap.
(require :asdf)
(let ((*standard-output* *error-output*))
  (asdf:load-system "cffi"))

(defmacro cffi-sys:with-foreign-pointer ((var size &optional (size-var (gensym "SIZE"))) &body body)
  `(let* ((,size-var ,size)
          (,var (cffi-sys:%foreign-alloc ,size-var)))
     (unwind-protect (progn ,@body)
       (cffi-sys:foreign-free ,var))))
