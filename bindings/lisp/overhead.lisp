;;; SPDX-License-Identifier: BSD-3-Clause
;;; overhead.lisp - what bindings/overhead/overhead.c does, with the system ach
;;;
;;; sbcl --script overhead.lisp CHANNEL BATCHES CALLS
(require :asdf)
(let ((*standard-output* *error-output*)) ; the compiler's messages are no results
  (asdf:load-asd (merge-pathnames "ach.asd" *load-truename*))
  (asdf:load-system "ach"))

(defun nanoseconds ()
  (cffi:with-foreign-object (time :int64 2)
    (cffi:foreign-funcall "clock_gettime" :int 1 :pointer time :int) ; CLOCK_MONOTONIC
    (+ (* 1000000000 (cffi:mem-aref time :int64 0)) (cffi:mem-aref time :int64 1))))

(defun measure (name operation batches calls)
  (declare (function operation) (fixnum batches calls))
  (format t "~A:" name)
  (dotimes (batch batches)
    (let ((begin (nanoseconds)))
      (dotimes (i calls)
        (funcall operation))
      (format t " ~,1F" (/ (- (nanoseconds) begin) calls))))
  (terpri))

(destructuring-bind (name &rest counts) (rest sb-ext:*posix-argv*)
  (let ((buffer (make-array 64 :element-type '(unsigned-byte 8) :initial-element 0)))
    (ach:with-channel (channel name)
      (loop for (operation function)
              in (list (list "put" (lambda () (ach:put channel buffer)))
                       (list "get" (lambda () (ach:get-message channel :last t :copy t)))
                       (list "get into"
                             (lambda () (ach:get-into channel buffer :last t :copy t)))
                       (list "view"
                             (lambda ()
                               (ach:with-view (view channel :last t :copy t)
                                 (ach:region-ref view :uint8 0)))))
            do (apply #'measure operation function (mapcar #'parse-integer counts))))))
