;;; SPDX-License-Identifier: BSD-3-Clause
;;; body.lisp - bodies of messages as property lists, by the tables of <ach/interface.h>
;;;
;;; The field min_angle is :MIN-ANGLE. Numbers are integers and floats, booleans T and NIL, strings
;;; are strings, structs property lists, and arrays vectors; arrays of numbers are specialised.
(in-package #:ach)

(cffi:define-foreign-library libachclient (t (:or "libachclient.so.0" "libachclient.so")))
(cffi:define-foreign-library libachmsg (t (:or "libachmsg.so.0" "libachmsg.so")))
(cffi:use-foreign-library libachclient)
(cffi:use-foreign-library libachmsg)

(define-calls
  ("ach_body_from_json" :pointer :string :pointer))

(defun field-key (field)
  (intern (substitute #\- #\_ (string-upcase (foreign-text (slot field c-field name)))) '#:keyword))

(defun fields-of (type)
  "Pointers to the fields of a type that programs see."
  (loop for i below (slot type c-type field-count)
        for field = (cffi:mem-aptr (slot type c-type fields) '(:struct c-field) i)
        unless (eq :count (array-of field))
          collect field))

(defun kind-of (field)
  (enum-name (slot field c-field kind) *kinds*))

(defun array-of (field)
  (enum-name (slot field c-field array) *arrays*))

(defun only-value (type)
  "The field of a struct that is nothing but the value of this field, or NIL."
  (let ((fields (fields-of type)))
    (and (= 1 (length fields))
         (string= "" (foreign-text (slot (first fields) c-field name)))
         (first fields))))

;;; From C

(defun element-type-of (kind)
  (ecase kind
    ((:int8 :int16 :int32 :int64) `(signed-byte ,(* 8 (cffi:foreign-type-size kind))))
    ((:uint8 :uint16 :uint32 :uint64) `(unsigned-byte ,(* 8 (cffi:foreign-type-size kind))))
    (:float 'single-float)
    (:double 'double-float)))

(defun read-value (field kind pointer)
  (case kind
    (:struct (read-body (slot field c-field type) pointer))
    (:bool (/= 0 (cffi:mem-ref pointer :uint8)))
    (t (cffi:mem-ref pointer kind))))

(defun read-text (pointer count)
  "The characters before the first NUL."
  (if (or (zerop count) (cffi:null-pointer-p pointer))
      ""
      (let ((octets (foreign-octets pointer count)))
        (utf-8-string (subseq octets 0 (position 0 octets))))))

(defun read-elements (field kind pointer count)
  (let ((size (case kind
                (:struct (slot (slot field c-field type) c-type body-size))
                (:bool 1))))
    (if size
        (coerce (loop for i below count
                      collect (read-value field kind (cffi:inc-pointer pointer (* i size))))
                'simple-vector)
        (let ((vector (make-array count :element-type (element-type-of kind)))
              (bytes (* count (cffi:foreign-type-size kind))))
          (cffi:with-pointer-to-vector-data (to vector)
            (cffi:foreign-funcall "memcpy" :pointer to :pointer pointer :uint64 bytes :pointer))
          vector))))

(defun read-array (field kind pointer count)
  (if (eq kind :char)
      (read-text pointer count)
      (read-elements field kind pointer count)))

(defun read-field (field body)
  (let ((pointer (cffi:inc-pointer body (slot field c-field offset)))
        (kind (kind-of field)))
    (ecase (array-of field)
      (:none (read-value field kind pointer))
      (:fixed (read-array field kind pointer (slot field c-field limit)))
      (:variable (read-array field kind (cffi:mem-ref pointer :pointer)
                             (cffi:mem-ref body :uint32 (slot field c-field count-offset)))))))

(defun read-body (type body)
  "The C struct BODY as a property list."
  (let ((only (only-value type)))
    (if only
        (read-field only body)
        (loop for field in (fields-of type)
              collect (field-key field)
              collect (read-field field body)))))

;;; To C, as JSON, which libach checks against the table

(defun write-number (value kind stream)
  (check-type value real)
  (if (member kind '(:float :double))
      (let ((float (coerce value 'double-float)))
        (cond ((sb-ext:float-nan-p float) (write-string "null" stream))
              ((sb-ext:float-infinity-p float) (format stream "~:[~;-~]1e999" (minusp float)))
              (t (prin1 float stream))))
      (progn
        (check-type value integer)
        (prin1 value stream))))

(defun write-text (string stream)
  (check-type string string)
  (write-char #\" stream)
  (loop for char across string
        do (if (or (char< char #\Space) (find char "\"\\"))
               (format stream "\\u~4,'0x" (char-code char))
               (write-char char stream)))
  (write-char #\" stream))

(defun write-value (field kind value stream)
  (case kind
    (:struct (write-body (slot field c-field type) value stream))
    (:bool (write-string (if (member value '(nil 0)) "false" "true") stream))
    (t (write-number value kind stream))))

(defun write-field (field value stream)
  (let ((kind (kind-of field)))
    (cond ((eq :none (array-of field)) (write-value field kind value stream))
          ((eq :char kind) (write-text value stream))
          (t (write-char #\[ stream)
             (let ((first t))
               (map nil (lambda (element)
                          (unless (shiftf first nil)
                            (write-char #\, stream))
                          (write-value field kind element stream))
                    (the sequence value)))
             (write-char #\] stream)))))

(defun write-body (type plist stream)
  (let ((only (only-value type))
        (fields (fields-of type)))
    (if only
        (write-field only plist stream)
        (loop initially (write-char #\{ stream)
              for (key value . rest) on plist by #'cddr
              for field = (or (find key fields :key #'field-key)
                              (fail :einval
                                    :text (format nil "~A has no field ~S; it has ~{~S~^, ~}"
                                                  (foreign-text (slot type c-type name)) key
                                                  (mapcar #'field-key fields))))
              do (write-text (foreign-text (slot field c-field name)) stream)
                 (write-char #\: stream)
                 (write-field field value stream)
                 (when rest
                   (write-char #\, stream))
              finally (write-char #\} stream)))))

(defun call-with-body (function type plist)
  "Call FUNCTION with a C struct of the property list, or with a null pointer if there is no type."
  (if (cffi:null-pointer-p type)
      (funcall function (cffi:null-pointer))
      (let ((json (with-standard-io-syntax
                    (let ((*read-default-float-format* 'double-float))
                      (with-output-to-string (stream)
                        (write-body type plist stream))))))
        (cffi:with-foreign-object (body :pointer)
          (setf (cffi:mem-ref body :pointer) (cffi:null-pointer))
          (unwind-protect
               (progn
                 (ensure (without-traps (ach-body-from-json type json body)))
                 (funcall function (cffi:mem-ref body :pointer)))
            (cffi:foreign-free (cffi:mem-ref body :pointer)))))))
