;;; SPDX-License-Identifier: BSD-3-Clause
;;; approach.lisp - a 100 Hz controller in Common Lisp: drive towards a wall, and stop half a metre
;;; before it
;;;
;;; sbcl --script approach.lisp
(require :asdf)
(let ((*standard-output* *error-output*)) ; for the messages of the compiler
  (asdf:load-system "ach"))

(defpackage #:approach (:use #:common-lisp))
(in-package #:approach)

(defun make-number (value)
  "A message: one number, in metres or metres per second."
  (make-array 1 :element-type 'double-float :initial-element value))

(defun cart (stop)
  "A cart with a range sensor, in place of the real one. It runs until STOP returns true."
  (ach:with-channel (range "approach-range")
    (ach:with-channel (speed "approach-speed")
      (loop with period = (ach:make-period 1/200)
            with distance = 2d0
            with forward = (make-number 0d0)
            until (funcall stop)
            do (ach:get-into speed forward :last t)
               (decf distance (* 0.005d0 (aref forward 0)))
               (ach:put range (make-number distance))
               (ach:wait-period period)))))

(defun approach ()
  "Drive until the wall is half a metre away, and return the distance."
  (ach:with-channel (range "approach-range")
    (ach:with-channel (speed "approach-speed")
      (loop with period = (ach:make-period 1/100)
            with distance = (make-number 0d0)
            for remaining = (progn
                              (ach:get-into range distance :wait t :last t)
                              (- (aref distance 0) 0.5d0))
            do (ach:put speed (make-number (* 4 remaining)))
               (ach:wait-period period)
            while (> (abs remaining) 0.005d0)
            finally (ach:put speed (make-number 0d0))
                    (return (aref distance 0))))))

(dolist (name '("approach-range" "approach-speed"))
  (ach:create-channel name :frame-size 8 :truncate t))
(let* ((arrived nil)
       (cart (sb-thread:make-thread (lambda () (cart (lambda () arrived))))))
  (format t "stopped at ~,2F m~%" (approach))
  (setf arrived t)
  (sb-thread:join-thread cart))
(mapc #'ach:unlink-channel '("approach-range" "approach-speed"))
