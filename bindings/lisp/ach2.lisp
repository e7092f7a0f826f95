;;; SPDX-License-Identifier: BSD-3-Clause
;;; ach2.lisp - functions of Ach 2 that have other names now
(in-package #:ach)

(defun put-buffer (channel buffer)
  "PUT, as Ach 2 named it."
  (put channel buffer))

(defgeneric put-object (channel object)
  (:documentation "Put an object as bytes. Programs define methods for their classes.")
  (:method (channel (object vector))
    (put channel object)))

(defun get-buffer (channel &key count buffer wait last)
  "Get a message into BUFFER, or into a new vector of COUNT octets; if neither is large enough,
into one that is. Returns the vector, the status and the size of the message."
  (let ((buffer (or buffer (make-array (or count 0) :element-type '(unsigned-byte 8)))))
    (loop
      (handler-case
          (multiple-value-bind (size status) (get-into channel buffer :wait wait :last last)
            (unless size
              (check status channel))
            (return (values buffer status size)))
        (overflow (condition)
          (setf buffer (make-array (needed-size condition) :element-type '(unsigned-byte 8))))))))

(defun get-foreign-alloc (channel &key (length 512) wait last)
  "Get a message into foreign memory, which the caller frees. Returns the pointer, the status and
the size of the message. LENGTH is the size to allocate first."
  (loop
    (let ((pointer (cffi:foreign-alloc :uint8 :count (max length 1))))
      (multiple-value-bind (status size)
          (get-pointer channel pointer length :wait wait :last last)
        (when (member status '(:ok :missed-frame))
          (return (values pointer status size)))
        (cffi:foreign-free pointer)
        (if (eq status :overflow)
            (setf length size)
            (check status channel))))))
