;;; SPDX-License-Identifier: BSD-3-Clause
;;; device.lisp - devices: data, commands and requests
(in-package #:ach)

(define-calls
  ("ach_device_open" :string :pointer :pointer)
  ("ach_device_close" :pointer)
  ("ach_device_flush" :pointer :double)
  ("ach_device_get" :pointer :int :double :int :pointer)
  ("ach_device_command" :pointer :uint8 :pointer)
  ("ach_device_request" :pointer :uint8 :pointer :double :pointer)
  ("ach_device_list" :string :pointer :pointer :uint64 :pointer))

(defstruct (device (:include resource) (:copier nil)
                   (:constructor %make-device (name handle interface)))
  (interface nil :read-only t)) ; pointer to its table; NULL: this process does not know it

(defun seconds-of (timeout)
  (check-type timeout (real 0))
  (coerce (min timeout 1000000000) 'double-float))

(defun call-with-device-attr (function transport timeout queue-length)
  (with-zeroed (attr (:struct c-device-attr))
    (cffi:with-foreign-string (c-transport (c-string (or transport "")))
      (setf (slot attr c-device-attr size) (cffi:foreign-type-size '(:struct c-device-attr))
            (slot attr c-device-attr timeout) (seconds-of timeout)
            (slot attr c-device-attr messages) queue-length)
      (when transport
        (setf (slot attr c-device-attr transport) c-transport))
      (ensure (without-traps (funcall function attr))))))

(defun open-device (address &key transport (timeout 0) (queue-length 0))
  "Open a device, such as laser:0 or robot.local:6665:laser:0, and subscribe to its data. TIMEOUT
is in seconds; 0 stands for the default, as for QUEUE-LENGTH. Interrupts are deferred meanwhile."
  (c-string address)
  (cffi:with-foreign-object (result :pointer)
    (call-with-device-attr (lambda (attr) (ach-device-open address attr result))
                           transport timeout queue-length)
    (let* ((pointer (cffi:mem-ref result :pointer))
           (where (cffi:foreign-funcall "ach_device_address" :pointer pointer :pointer))
           (device (%make-device
                    address
                    (make-handle pointer (lambda (p) (without-traps (ach-device-close p))))
                    (cffi:foreign-funcall "ach_interface_by_code"
                                          :unsigned-int (slot where c-address interf) :pointer))))
      (finalize-resource device)
      device)))

(defun close-device (device)
  "Close DEVICE after its driver has handled the commands. Returns true if it was open, and the
status: other than :OK if commands may have been lost."
  (close-resource device))

(defmacro with-device ((variable address &rest options) &body body)
  "Run BODY with VARIABLE bound to a device that is opened as by OPEN-DEVICE, and closed
afterwards."
  `(let ((,variable (open-device ,address ,@options)))
     (unwind-protect (progn ,@body)
       (close-device ,variable))))

(defun message-def (device type name)
  "The definition of the message NAME, a string or symbol: SCAN, :GET-GEOM or \"GET_GEOM\"."
  (let* ((name (c-string (substitute #\_ #\- (string name))))
         (def (cffi:foreign-funcall "ach_interface_message_named"
                                    :pointer (device-interface device)
                                    :unsigned-int (enum-value type *message-types*)
                                    :string name :pointer)))
    (when (cffi:null-pointer-p def)
      (fail :einval :name (device-name device)
                    :text (format nil "its interface has no ~(~A~) message ~A" type name)))
    def))

(defun read-message (message)
  "The property list of MESSAGE, and the message's name. Releases MESSAGE."
  (unwind-protect
       (let* ((header (cffi:foreign-funcall "ach_message_header" :pointer message :pointer))
              (body (without-traps
                      (cffi:foreign-funcall "ach_message_body" :pointer message :pointer)))
              (address (cffi:inc-pointer
                        header (cffi:foreign-slot-offset '(:struct c-header) 'address)))
              (def (cffi:foreign-funcall
                    "ach_interface_message"
                    :pointer (cffi:foreign-funcall
                              "ach_interface_by_code"
                              :unsigned-int (slot address c-address interf) :pointer)
                    :unsigned-int (slot header c-header type)
                    :unsigned-int (slot header c-header subtype) :pointer)))
         (unless (cffi:null-pointer-p def)
           (let ((type (slot def c-message-def body)))
             (values (unless (or (cffi:null-pointer-p type) (cffi:null-pointer-p body))
                       (without-traps (read-body type body)))
                     (foreign-text (slot def c-message-def name))))))
    (cffi:foreign-funcall "ach_message_unref" :pointer message :void)))

(defun get-data (device &key name wait last timeout)
  "Get data: the message NAME, or any. WAIT, LAST and TIMEOUT are as for GET-MESSAGE. Returns the
message as a property list, its name and the status; NIL, NIL and the status if there is none."
  (let ((subtype (if name
                     (slot (message-def device :data name) c-message-def subtype)
                     +subtype-any+))
        (deadline (deadline-of timeout)))
    (cffi:with-foreign-object (message :pointer)
      (flet ((get-once (pointer seconds options)
               (without-traps
                 (ach-device-get pointer subtype seconds (logior options (if last +last+ 0))
                                 message))))
        (let ((status (using (d device +exclusive+)
                        (if wait
                            (call-in-slices (lambda (us) (get-once d (/ us 1d6) +wait+))
                                            deadline (list (resource-handle device)))
                            (get-once d 0d0 0)))))
          (if (member status '(:eagain :timeout))
              (values nil nil status)
              (multiple-value-bind (plist name)
                  (progn (check status device :explained t)
                         (read-message (cffi:mem-ref message :pointer)))
                (values plist (or name "") status))))))))

(defun command (device name &rest fields)
  "Send the command NAME with FIELDS, a property list. Fields that it leaves out are 0. Does not
wait until it was handled: see FLUSH-DEVICE."
  (let ((def (message-def device :cmd name)))
    (call-with-body
     (lambda (body)
       (check (using (d device +exclusive+)
                (without-traps (ach-device-command d (slot def c-message-def subtype) body)))
              device :explained t))
     (slot def c-message-def body) fields)))

(defun request (device name &key fields (timeout 5))
  "Send the request NAME with FIELDS, a property list, and return the answer as a property list.
Signals ENOTSUP if the driver refuses. Interrupts are deferred until the answer or the timeout."
  (let ((def (message-def device :req name))
        (seconds (seconds-of timeout)))
    (cffi:with-foreign-object (answer :pointer)
      (setf (cffi:mem-ref answer :pointer) (cffi:null-pointer))
      (call-with-body
       (lambda (body)
         (let ((status (using (d device +exclusive+)
                         (without-traps
                           (ach-device-request d (slot def c-message-def subtype) body seconds
                                               answer)))))
           (unless (eq status :ok)
             (cffi:foreign-funcall "ach_message_unref" :pointer (cffi:mem-ref answer :pointer)
                                                       :void))
           (if (eq status :enotsup)
               (fail :enotsup :name (device-name device)
                              :text (format nil "the driver refused the request ~A" name))
               (check status device :explained t))))
       (slot def c-message-def body) fields)
      (values (read-message (cffi:mem-ref answer :pointer))))))

(defun flush-device (device &key (timeout 5))
  "Wait until the driver has handled all commands. Signals TIMEOUT, or ENOTSUP if it did not
handle some."
  (let ((deadline (deadline-of timeout)))
    (check (using (d device +exclusive+)
             (call-in-slices (lambda (us) (without-traps (ach-device-flush d (/ us 1d6))))
                             deadline (list (resource-handle device))))
           device :explained t)))

(defmacro device-fact (device c-name type)
  `(multiple-value-bind (status value)
       (using (d ,device +exclusive+)
         (values :ok (cffi:foreign-funcall ,c-name :pointer d ,type)))
     (check status ,device)
     value))

(defun device-fd (device)
  "A descriptor that is readable while there is data. It belongs to DEVICE."
  (device-fact device "ach_device_fd" :int))

(defun device-transport (device)
  "How the device is reached: channel, tcp, inproc or the name of a plug-in."
  (foreign-text (device-fact device "ach_device_transport" :pointer)))

(defun device-lost (device)
  "How many messages were lost since DEVICE was opened."
  (device-fact device "ach_device_lost" :uint64))

(defun list-devices (where &key transport (timeout 0))
  "The devices of the robot WHERE, such as 6665 or robot.local:6665, or an empty string for the
default: a list of property lists with :ADDRESS and :DRIVER."
  (c-string where)
  (loop with room = 64
        for (count . found) = (list-some-devices where transport timeout room)
        while (> count room)
        do (setf room count)
        finally (return found)))

(defun list-some-devices (where transport timeout room)
  "How many devices there are, and the first ROOM of them."
  (cffi:with-foreign-objects ((infos '(:struct c-device-info) room)
                              (count :uint64)
                              (text :uint8 +address-max+))
    (call-with-device-attr (lambda (attr) (ach-device-list where attr infos room count))
                           transport timeout 0)
    (cons (cffi:mem-ref count :uint64)
          (loop for i below (min room (cffi:mem-ref count :uint64))
                for info = (cffi:mem-aptr infos '(:struct c-device-info) i)
                collect (list :address
                              (foreign-text
                               (cffi:foreign-funcall "ach_address_text" :pointer info
                                                                        :pointer text :pointer))
                              :driver
                              (read-text (cffi:foreign-slot-pointer
                                          info '(:struct c-device-info) 'driver)
                                         64))))))
