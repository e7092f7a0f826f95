;;; SPDX-License-Identifier: BSD-3-Clause
;;; region.lisp - messages in place: views and reservations
;;;
;;; A region is memory of a channel. The channel stays mapped as long as the region lasts; after
;;; that, its functions signal CLOSED. Only REGION-POINTER gives unchecked access.
(in-package #:ach)

(define-calls
  ("ach_view" :pointer :pointer :pointer :pointer :int)
  ("ach_view_check" :pointer)
  ("ach_reserve" :pointer :uint64 :pointer)
  ("ach_commit" :pointer :uint64)
  ("ach_abort" :pointer))

(define-condition overwritten (eagain) ()
  (:documentation "A message was overwritten while it was read in place: discard what was read."))

(defstruct (region (:copier nil) (:constructor make-region (address room channel status writable)))
  (address nil) ; NIL: it ended
  (room 0 :type (unsigned-byte 62) :read-only t)
  (used room :type (unsigned-byte 62))
  (channel nil :type channel :read-only t)
  (status :ok :type keyword :read-only t) ; of a view: :OK or :MISSED-FRAME
  (thread sb-thread:*current-thread* :read-only t)
  (writable nil :read-only t))

(defun region-size (region)
  "The bytes of a message that is viewed, or that will be put."
  (region-used region))

(defun (setf region-size) (size region)
  (unless (typep size `(integer 1 ,(region-room region)))
    (fail :einval :text (format nil "expected a size from 1 to ~D, found ~S"
                                (region-room region) size)))
  (setf (region-used region) size))

(defun region-pointer (region)
  "The foreign pointer of REGION. It must not be used after the region ended."
  (or (region-address region)
      (fail :closed :text "the view or reservation ended")))

(defun region-place (region offset size writing)
  "The address of SIZE bytes at OFFSET."
  (unless (and (typep offset '(unsigned-byte 62))
               (<= (+ offset size) (region-room region)))
    (fail :einval :text (format nil "~D bytes at ~D are outside of a message of ~D bytes"
                                size offset (region-room region))))
  (when (and writing (not (region-writable region)))
    (fail :eacces :text "a view is read-only"))
  (cffi:inc-pointer (region-pointer region) offset))

(defun region-ref (region type &optional (offset 0))
  "The value of the foreign TYPE, such as :DOUBLE, that is OFFSET bytes from the beginning of
REGION."
  (cffi:mem-ref (region-place region offset (cffi:foreign-type-size type) nil) type))

(defun (setf region-ref) (value region type &optional (offset 0))
  (setf (cffi:mem-ref (region-place region offset (cffi:foreign-type-size type) t) type) value))

;; With a constant type the access is compiled.
(define-compiler-macro region-ref (&whole form region type &optional (offset 0))
  (if (constantp type)
      `(cffi:mem-ref (region-place ,region ,offset (cffi:foreign-type-size ,type) nil) ,type)
      form))

(defun region-octets (region &key (start 0) (end (region-size region)))
  "A copy of the bytes from START to END."
  (check-type end (unsigned-byte 62))
  (check-type start (integer 0))
  (when (> start end)
    (fail :einval :text "the start is behind the end"))
  (foreign-octets (region-place region start (- end start) nil) (- end start)))

(defun region-replace (region message &key (start 0))
  "Write MESSAGE, as for PUT, to REGION, from the byte START on."
  (multiple-value-bind (vector element-size) (raw-vector message)
    (let ((size (* element-size (length vector))))
      (cffi:with-pointer-to-vector-data (from vector)
        (cffi:foreign-funcall "memcpy" :pointer (region-place region start size t)
                                       :pointer from :uint64 size :pointer))
      region)))

;;; Views

(defun begin-view (channel &key wait last copy linked timeout)
  "View a message, and keep CHANNEL open for it. Returns the status and the region."
  (let ((deadline (deadline-of timeout))
        (handle (resource-handle channel)))
    (cffi:with-foreign-objects ((address :pointer) (size :uint64))
      (using (c channel +exclusive+)
        (count-read channel)
        (let ((status (call-with-limit (lambda (limit options)
                                         (ach-view c address size limit options))
                                       (list channel) wait last copy linked deadline)))
          (when (and (member status '(:ok :missed-frame))
                     (not (eq :ok (enter handle 0))))
            (setf status :closed))
          (values status
                  (and (member status '(:ok :missed-frame))
                       (make-region (cffi:mem-ref address :pointer) (cffi:mem-ref size :uint64)
                                    channel status nil))))))))

(defun end-region (region claim)
  (setf (region-address region) nil)
  (leave (resource-handle (region-channel region)) claim))

(defun check-view (channel)
  "Return normally if the message that was viewed last is intact; otherwise signal OVERWRITTEN."
  (let ((status (using (c channel +exclusive+) (ach-view-check c))))
    (if (eq status :eagain)
        (fail :eagain :condition :overwritten :name (channel-name channel)
                      :text "the message was overwritten while it was read in place")
        (check status channel))))

(defun check-region (region reads)
  "Check the view, unless another message was got from its channel meanwhile."
  (let ((channel (region-channel region)))
    (unless (= reads (channel-reads channel))
      (fail :einval :name (channel-name channel)
                    :text "another message was got before the view ended"))
    (check-view channel)))

(defun view-once (function channel options)
  (let ((status :ok))
    (multiple-value-prog1
        (sb-sys:without-interrupts
          (multiple-value-bind (got region)
              (sb-sys:allow-with-interrupts (apply #'begin-view channel options))
            (setf status got)
            (when region
              (unwind-protect
                   (sb-sys:with-local-interrupts
                     (let ((reads (channel-reads channel)))
                       (multiple-value-prog1 (funcall function region)
                         (check-region region reads))))
                (end-region region 0)))))
      (unless (member status '(:ok :missed-frame :eagain :timeout))
        (check status channel)))))

(defun call-with-view (function channel &rest options)
  (loop
    (with-simple-restart (retry "View the next message of ~A." (channel-name channel))
      (return (view-once function channel options)))))

(defmacro with-view ((view channel &rest options) &body body)
  "Run BODY with VIEW bound to a message in place. OPTIONS are those of GET-MESSAGE. Returns the
values of BODY, or NIL without running it if there is no message. Signals OVERWRITTEN if a writer
overwrote the message before BODY ended; the restart RETRY views the next one."
  (let ((function (gensym "VIEW")))
    `(flet ((,function (,view) ,@body))
       (declare (dynamic-extent #',function))
       (call-with-view #',function ,channel ,@options))))

;;; Reservations

(defun reserve (channel size)
  "Reserve SIZE bytes for a message, and return them as a region. It lasts until COMMIT,
ABORT-RESERVATION or another RESERVE of this thread."
  (check-type size (unsigned-byte 62))
  (when (own-reservation-p channel)
    (abort-reservation channel))
  (let ((handle (resource-handle channel)))
    (cffi:with-foreign-object (address :pointer)
      (check (using (c channel +exclusive+)
               (let ((status (enter handle +reserved+)))
                 (when (eq status :ok)
                   (setf status (ach-reserve c size address))
                   (if (eq status :ok)
                       (setf (channel-reservation channel)
                             (make-region (cffi:mem-ref address :pointer) size channel :ok t))
                       (leave handle +reserved+)))
                 status))
             channel :explained t)
      (channel-reservation channel))))

(defun own-reservation-p (channel)
  (let ((region (channel-reservation channel)))
    (and region (eq (region-thread region) sb-thread:*current-thread*))))

(defun finish-reservation (channel function stays-open)
  "Call FUNCTION to end the reservation. It stays open if the status is among STAYS-OPEN."
  (let* ((own (own-reservation-p channel))
         (status (using (c channel +exclusive+)
                   (if (and (channel-reservation channel) (not own))
                       :in-use
                       (funcall function c)))))
    (when (and own (not (member status (cons :in-use stays-open))))
      (end-region (shiftf (channel-reservation channel) nil) +reserved+))
    (check status channel)))

(defun commit (channel size)
  "Put the first SIZE bytes of the reservation. It stays open after EINVAL and EAGAIN."
  (check-type size (unsigned-byte 62))
  (finish-reservation channel (lambda (c) (ach-commit c size)) '(:einval :eagain)))

(defun abort-reservation (channel)
  "Drop the reservation."
  (finish-reservation channel #'ach-abort '()))

(defun call-with-reservation (function channel size)
  (let* ((region (reserve channel size))
         (committed nil))
    (unwind-protect
         (multiple-value-prog1 (funcall function region)
           (commit channel (region-size region))
           (setf committed t))
      (unless committed
        (ignore-errors (abort-reservation channel))))))

(defmacro with-reservation ((region channel size) &body body)
  "Run BODY with REGION bound to SIZE bytes, and then put them as a message. BODY can make it
shorter: (SETF (REGION-SIZE REGION) N). If BODY is left otherwise, nothing is put. Returns the
values of BODY."
  (let ((function (gensym "RESERVATION")))
    `(flet ((,function (,region) ,@body))
       (declare (dynamic-extent #',function))
       (call-with-reservation #',function ,channel ,size))))
