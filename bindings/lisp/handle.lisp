;;; SPDX-License-Identifier: BSD-3-Clause
;;; handle.lisp - foreign objects that are closed once, when nobody uses them any more
;;;
;;; Interrupts, such as that of Ctrl-C, can unwind the stack. They must not do so while a C function
;;; runs: it may hold the lock of a channel. So foreign calls run without interrupts, and a wait is
;;; a loop of short waits with interrupts in between. The garbage collector is not affected: it
;;; stops threads in foreign code, too.
(in-package #:ach)

#-(and sbcl 64-bit) (error "ach needs SBCL on a 64-bit machine")

(cffi:define-foreign-library libach (t (:or "libach.so.5" "libach.so")))
(cffi:use-foreign-library libach)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun lisp-name (c-name)
    (intern (substitute #\- #\_ (string-upcase c-name)) '#:ach)))

(deftype octets () '(simple-array (unsigned-byte 8) (*)))

(defun c-string (string)
  "STRING, unless C would see only a part of it."
  (check-type string string)
  (when (find (code-char 0) string)
    (fail :einval :text "a string contains a NUL character"))
  string)

(defmacro define-calls (&body calls)
  "Define functions that call C functions (NAME ARGUMENT-TYPE...) and return their status."
  `(progn
     ,@(loop for (c-name . types) in calls
             for arguments = (loop for nil in types collect (gensym "ARGUMENT"))
             collect `(defun ,(lisp-name c-name) ,arguments
                        ,@(loop for type in types
                                for argument in arguments
                                when (eq type :string)
                                  collect `(c-string ,argument))
                        (status-keyword
                         (sb-sys:without-interrupts
                           (cffi:foreign-funcall ,c-name ,@(mapcan #'list types arguments)
                                                 :int)))))))

(defun foreign-octets (pointer size)
  "A copy of foreign memory."
  (let ((octets (make-array size :element-type '(unsigned-byte 8))))
    (cffi:with-pointer-to-vector-data (to octets)
      (cffi:foreign-funcall "memcpy" :pointer to :pointer pointer :uint64 size :pointer))
    octets))

(defun utf-8-string (octets)
  (sb-ext:octets-to-string octets :external-format '(:utf-8 :replacement #\ufffd)))

(defun foreign-text (pointer)
  "The string at POINTER. Bytes that are not UTF-8 are no error: texts may come from other
processes."
  (if (cffi:null-pointer-p pointer)
      ""
      (utf-8-string
       (foreign-octets pointer (cffi:foreign-funcall "strlen" :pointer pointer :uint64)))))

(defun errstr ()
  "Why the last failed call of this thread failed; NIL if Ach does not say."
  (let ((text (foreign-text (cffi:foreign-funcall "ach_errstr" :pointer))))
    (and (plusp (length text)) text)))

(defun ensure (status)
  "Signal an error unless STATUS is :OK; ach_errstr says why."
  (unless (eq status :ok)
    (fail status :text (errstr))))

;;; A handle's state: how many calls use it, and what is claimed by one of them.

(defconstant +closed+ 1)    ; nobody can begin to use it
(defconstant +exclusive+ 2) ; a call that only one thread at a time may make
(defconstant +reserved+ 4)  ; a reservation
(defconstant +user+ 8)      ; one more user

(defvar *image* 0) ; how often this image was started
(push (lambda () (incf *image*)) sb-ext:*init-hooks*)

(defstruct (handle (:constructor make-handle (pointer closer &optional memory)) (:copier nil))
  (pointer nil) ; NIL: it was closed
  (closer nil :type function :read-only t)
  (memory nil) ; an object that must not be garbage before the handle is closed
  (image *image* :read-only t) ; foreign objects do not survive SAVE-LISP-AND-DIE
  (state 0 :type sb-ext:word))

(defstruct (resource (:copier nil) (:predicate nil) (:constructor nil))
  (name "" :type string :read-only t)
  (handle nil :type handle :read-only t))

(defun closed-p (handle)
  (or (logtest +closed+ (handle-state handle))
      (/= *image* (handle-image handle))))

(defmethod print-object ((resource resource) stream)
  (print-unreadable-object (resource stream :type t)
    (format stream "~A~:[~; closed~]" (resource-name resource)
            (closed-p (resource-handle resource)))))

(defun dispose (handle)
  "Close the foreign object. Returns the status."
  (let ((pointer (shiftf (handle-pointer handle) nil)))
    (if pointer
        (prog1 (funcall (handle-closer handle) pointer)
          (setf (handle-memory handle) nil))
        :closed)))

(defun finalize-resource (resource)
  "Close the foreign object of RESOURCE at the latest when RESOURCE is garbage."
  (let ((handle (resource-handle resource)))
    (sb-ext:finalize resource (lambda () (dispose handle)) :dont-save t)))

(defun enter (handle claim)
  "Become a user of HANDLE with the bits of CLAIM. Returns :OK, :CLOSED or :IN-USE."
  (loop
    (let ((state (handle-state handle)))
      (cond ((closed-p handle) (return :closed))
            ((logtest state claim) (return :in-use))
            ((= state (sb-ext:cas (handle-state handle) state (logior claim (+ state +user+))))
             (return :ok))))))

(defun leave (handle claim)
  "End ENTER. The last user of a handle that was closed meanwhile disposes of it."
  (loop
    (let* ((state (handle-state handle))
           (new (logandc2 (- state +user+) claim)))
      (when (= state (sb-ext:cas (handle-state handle) state new))
        (when (= new +closed+)
          (dispose handle))
        (return)))))

(defun close-resource (resource)
  "Close RESOURCE, now or when the last call that uses it returns. Returns true if it was open, and
the status of closing it."
  (let ((handle (resource-handle resource)))
    (sb-sys:without-interrupts
      (loop
        (let ((state (handle-state handle)))
          (cond ((closed-p handle) (return (values nil :closed)))
                ((= state (sb-ext:cas (handle-state handle) state (logior state +closed+)))
                 (return (values t (if (< state +user+) (dispose handle) :ok))))))))))

(defun call-using (function resource claim)
  (let ((handle (resource-handle resource)))
    (sb-sys:without-interrupts
      (let ((status (enter handle claim)))
        (if (eq status :ok)
            (unwind-protect
                 (sb-sys:allow-with-interrupts (funcall function (handle-pointer handle)))
              (leave handle claim))
            status)))))

(defmacro using ((pointer resource &optional (claim 0)) &body body)
  "Run BODY with POINTER bound to the foreign object, without interrupts. Returns the values of
BODY, the first of which is a status, or the status of ENTER."
  (let ((function (gensym "USE")))
    `(flet ((,function (,pointer) ,@body))
       (declare (dynamic-extent #',function))
       (call-using #',function ,resource ,claim))))

(defun check (status resource &key explained)
  "Signal an error unless STATUS is a success. EXPLAINED: ach_errstr says why."
  (case status
    ((:ok :missed-frame) status)
    (:in-use (fail :einval :condition :in-use :name (resource-name resource)
                           :text "another call uses it; open it once for each thread"))
    (t (let ((text (and (or explained (eq status :failed-syscall)) (errstr))))
         (fail status :name (unless text (resource-name resource)) :text text)))))

(define-condition in-use (einval) ()
  (:documentation "Another thread, or a function that was interrupted, uses the same object."))

;;; Waiting

(defconstant +slice+ 100000) ; microseconds: how long an interrupt waits at most

(defun deadline-of (timeout)
  "The internal real time, in microseconds, at which TIMEOUT seconds have passed."
  (check-type timeout (or null (real 0)))
  (and timeout
       (+ (get-internal-real-time)
          (ceiling (* internal-time-units-per-second (rational (min timeout 1000000000)))))))

(defun call-in-slices (function deadline handles)
  "Call FUNCTION with microseconds to wait until it returns a status other than :TIMEOUT, the
deadline has passed, or one of HANDLES was closed. Interrupts happen between two calls."
  (loop
    (let* ((left (and deadline (max 0 (- deadline (get-internal-real-time)))))
           (last (and left (<= left +slice+)))
           (status (funcall function (if last left +slice+))))
      (cond ((not (eq status :timeout)) (return status))
            ((some #'closed-p handles) (return :closed))
            (last (return :timeout)))
      (sb-sys:with-interrupts nil))))

(defmacro without-traps (&body body)
  "Run BODY, which calls C functions that compute with floating-point numbers. C expects no traps."
  `(sb-int:with-float-traps-masked (:invalid :divide-by-zero :overflow :inexact :underflow)
     ,@body))
