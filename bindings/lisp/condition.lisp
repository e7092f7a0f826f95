;;; SPDX-License-Identifier: BSD-3-Clause
;;; condition.lisp - errors: a condition for each status
(in-package #:ach)

(define-condition ach-error (error)
  ((status :initarg :status :reader status
           :documentation "The status as a keyword: :ENOENT for ACH_ENOENT.")
   (text :initarg :text :reader error-text)
   (needed-size :initarg :needed-size :initform nil :reader needed-size
                :documentation "OVERFLOW: how many bytes the message has, if that is known."))
  (:report (lambda (condition stream) (write-string (error-text condition) stream)))
  (:documentation "A function of Ach failed. There is a subclass for each status."))

(defvar *statuses*) ; a list of (NAME NUMBER TEXT)

(defmacro define-statuses (&rest statuses)
  "Define the statuses (NAME NUMBER TEXT), and export a condition for each that is an error."
  `(progn
     (setf *statuses* ',statuses)
     ,@(loop for (name nil text) in statuses
             for condition = (intern (symbol-name name) '#:ach)
             unless (member name '(:ok :missed-frame))
               collect `(define-condition ,condition (ach-error) () (:documentation ,text))
               and collect `(eval-when (:compile-toplevel :load-toplevel :execute)
                              (export ',condition '#:ach)))))

(defun status-keyword (number)
  (or (first (find number *statuses* :key #'second)) :bug))

(defun fail (status &key name text needed-size (condition status))
  "Signal the condition of STATUS. TEXT says why, and NAME what it is about."
  (error (find-symbol (symbol-name condition) '#:ach)
         :status status :needed-size needed-size
         :text (format nil "~@[~A: ~]~A" name (or text (third (assoc status *statuses*))))))
