;;; SPDX-License-Identifier: BSD-3-Clause
;;; definition.lisp - messages of typed channels: definitions of ROS, and CDR
(in-package #:ach)

(define-calls
  ("ach_definition_new" :string :pointer :uint64 :pointer)
  ("ach_cdr_encoded_size" :pointer :pointer :pointer)
  ("ach_cdr_encode" :pointer :pointer :pointer :uint64 :pointer)
  ("ach_cdr_decode_new" :pointer :pointer :uint64 :pointer))

(defstruct (definition (:include resource) (:copier nil)
                       (:constructor %make-definition (name handle))))

(defun make-definition (name text)
  "Parse the definition of a message, TEXT, in the language of ROS."
  (let ((octets (octets-of text)))
    (cffi:with-foreign-object (definition :pointer)
      (cffi:with-pointer-to-vector-data (pointer octets)
        (ensure (without-traps (ach-definition-new name pointer (length octets) definition))))
      (let ((made (%make-definition
                   name (make-handle (cffi:mem-ref definition :pointer)
                                     (lambda (pointer)
                                       (cffi:foreign-funcall "ach_definition_free" :pointer pointer
                                                                                   :void)
                                       :ok)))))
        (finalize-resource made)
        made))))

(defun channel-definition (channel)
  "The definition of the messages of CHANNEL. Signals ENOTSUP unless they are CDR and the schema is
ros2msg."
  (destructuring-bind (&key name encoding schema-encoding schema &allow-other-keys)
      (channel-type channel)
    (unless (and (equal encoding "cdr") (equal schema-encoding "ros2msg"))
      (fail :enotsup :name (channel-name channel)
                     :text "its messages are not of the encoding cdr with a schema ros2msg"))
    (make-definition name schema)))

(defun table-of (definition)
  (check (if (closed-p (resource-handle definition)) :closed :ok) definition)
  (cffi:foreign-funcall "ach_definition_type"
                        :pointer (handle-pointer (resource-handle definition)) :pointer))

(defun decode (definition message)
  "The octets MESSAGE as a property list."
  (let ((octets (octets-of message))
        (table (table-of definition)))
    (cffi:with-foreign-object (body :pointer)
      (cffi:with-pointer-to-vector-data (pointer octets)
        (ensure (without-traps (ach-cdr-decode-new table pointer (length octets) body))))
      (unwind-protect (sb-sys:with-pinned-objects (definition)
                        (read-body table (cffi:mem-ref body :pointer)))
        (cffi:foreign-free (cffi:mem-ref body :pointer))))))

(defun encode (definition plist)
  "The octets of the message PLIST. Fields that it leaves out are 0 or empty."
  (sb-sys:with-pinned-objects (definition)
    (let ((table (table-of definition)))
      (call-with-body
       (lambda (body)
         (cffi:with-foreign-object (size :uint64)
           (ensure (ach-cdr-encoded-size table body size))
           (let ((octets (make-array (cffi:mem-ref size :uint64) :element-type '(unsigned-byte 8))))
             (cffi:with-pointer-to-vector-data (pointer octets)
               (ensure (ach-cdr-encode table body pointer (length octets) size)))
             octets)))
       table plist))))
