;;; SPDX-License-Identifier: BSD-3-Clause
;;; channel.lisp - channels: create, open, put, get, wait
(in-package #:ach)

(define-calls
  ("ach_create" :string :uint64 :uint64 :pointer)
  ("ach_open" :pointer :string :pointer)
  ("ach_close" :pointer)
  ("ach_unlink" :string)
  ("ach_chmod" :pointer :uint32)
  ("ach_put" :pointer :pointer :uint64)
  ("ach_put_relayed" :pointer :pointer :uint64 :pointer)
  ("ach_get" :pointer :pointer :uint64 :pointer :pointer :int)
  ("ach_wait" :pointer :uint64 :pointer :int)
  ("ach_flush" :pointer)
  ("ach_cancel" :pointer :pointer)
  ("ach_channel_seq" :pointer :pointer)
  ("ach_channel_missed" :pointer :pointer :pointer)
  ("ach_channel_timestamp" :pointer :pointer)
  ("ach_channel_origin" :pointer :pointer)
  ("ach_channel_type" :pointer :pointer)
  ("ach_channel_info" :pointer :pointer)
  ("ach_channel_fd" :pointer :pointer)
  ("ach_channel_path" :string :pointer :uint64)
  ("ach_list" :pointer :pointer)
  ("ach_period_init" :pointer :int64)
  ("ach_period_wait" :pointer :pointer)
  ("ach_handle_sigbus"))

(defstruct (channel (:include resource) (:copier nil) (:constructor %make-channel (name handle)))
  (single-writer nil) ; then only one thread at a time may put
  (reads 0 :type fixnum) ; calls of get and view
  (reservation nil)) ; the region that was reserved

;;; The memory of a channel on the heap. Handles refer to it, so it is freed after them.
(defstruct (heap (:copier nil) (:constructor make-heap (pointer)))
  (pointer nil :read-only t))

(defun zero (pointer size)
  (cffi:foreign-funcall "memset" :pointer pointer :int 0 :uint64 size :pointer))

(defmacro with-zeroed ((pointer type) &body body)
  "Run BODY with a foreign object of zeros."
  `(cffi:with-foreign-object (,pointer ',type)
     (zero ,pointer ,(cffi:foreign-type-size type))
     ,@body))

(defmacro slot (pointer type name)
  `(cffi:foreign-slot-value ,pointer '(:struct ,type) ',name))

(defun enum-value (keyword enum)
  (or (cdr (assoc keyword enum))
      (fail :einval :text (format nil "~S is none of ~{~S~^, ~}" keyword (mapcar #'car enum)))))

(defun enum-name (value enum)
  (or (car (rassoc value enum)) value))

(defparameter *clocks* `((:realtime . ,+clock-realtime+) (:monotonic . ,+clock-monotonic+)))

(defun nanoseconds (seconds)
  (check-type seconds (real 0 1000000000))
  (round (* 1000000000 (rational seconds))))

(defun octets-of (message)
  "MESSAGE, a string or a vector of bytes, as octets; copied if it is of another type."
  (etypecase message
    (octets message)
    (string (sb-ext:string-to-octets message :external-format :utf-8))
    (vector (coerce message 'octets))))

(defun call-with-type (function type)
  "Call FUNCTION with an ach_channel_type_t of the property list TYPE, or with a null pointer."
  (if (null type)
      (funcall function (cffi:null-pointer))
      (destructuring-bind (&key name encoding (schema-encoding "") (schema "")) type
        (let ((schema (octets-of schema)))
          (cffi:with-foreign-strings ((c-name (c-string name))
                                      (c-encoding (c-string encoding))
                                      (c-schema-encoding (c-string schema-encoding)))
            (cffi:with-pointer-to-vector-data (c-schema schema)
              (with-zeroed (c-type (:struct c-channel-type))
                (setf (slot c-type c-channel-type name) c-name
                      (slot c-type c-channel-type encoding) c-encoding
                      (slot c-type c-channel-type schema-encoding) c-schema-encoding
                      (slot c-type c-channel-type schema) c-schema
                      (slot c-type c-channel-type schema-size) (length schema))
                (funcall function c-type))))))))

(defun create-channel (name &key (frame-count 0) (frame-size 0) map clock mode truncate
                              replace-corrupt timestamps readonly-wake single-writer relayed
                              anticipated type)
  "Create a channel. MAP is :USER, :KERNEL or :ANON, a channel on the heap; CLOCK is :MONOTONIC or
:REALTIME; TYPE is a property list with :NAME, :ENCODING, :SCHEMA-ENCODING and :SCHEMA. Returns
what to open: NAME, or the memory on the heap."
  (with-zeroed (attr (:struct c-create-attr))
    (flet ((set-bits (&rest bits)
             (loop for (bit value) on bits by #'cddr
                   for n = (cdr (assoc bit *create-attr-bits*))
                   do (setf (ldb (byte 1 (mod n 8)) (cffi:mem-ref attr :uint8 (floor n 8)))
                            (if value 1 0)))))
      (cffi:foreign-funcall "ach_create_attr_init" :pointer attr :void)
      (when map (setf (slot attr c-create-attr map) (enum-value map *maps*)))
      (when clock (setf (slot attr c-create-attr clock) (enum-value clock *clocks*)))
      (when mode (setf (slot attr c-create-attr mode) mode))
      (set-bits :set-clock clock :set-mode mode :truncate truncate :timestamps timestamps
                :replace-corrupt replace-corrupt :readonly-wake readonly-wake
                :single-writer single-writer :relayed relayed :anticipated anticipated))
    (call-with-type
     (lambda (c-type)
       (setf (slot attr c-create-attr type) c-type)
       (ensure (ach-create (if (eq map :anon) "heap" name) frame-count frame-size attr)))
     type)
    (if (eq map :anon)
        (let* ((pointer (slot attr c-create-attr shm))
               (heap (make-heap pointer)))
          (sb-ext:finalize heap (lambda () (cffi:foreign-free pointer)) :dont-save t)
          heap)
        name)))

(defun %open-channel (name heap set-attributes)
  "Open a channel with the attributes that SET-ATTRIBUTES sets."
  (let ((pointer (cffi:foreign-alloc '(:struct c-channel)))
        (status :bug)
        (channel nil))
    (unwind-protect
         (with-zeroed (attr (:struct c-attr))
           (cffi:foreign-funcall "ach_attr_init" :pointer attr :void)
           (funcall set-attributes attr)
           (when heap
             (setf (slot attr c-attr map) (enum-value :anon *maps*)
                   (slot attr c-attr shm) (heap-pointer heap)))
           (sb-sys:without-interrupts
             (setf status (ach-open pointer name attr))
             (when (eq status :ok)
               (setf channel (%make-channel name (make-handle pointer #'free-channel heap)))
               (finalize-resource channel)))
           (ensure status))
      (unless channel
        (cffi:foreign-free pointer)))
    (setf (channel-single-writer channel) (getf (channel-info channel) :single-writer))
    channel))

(defun free-channel (pointer)
  (prog1 (ach-close pointer)
    (cffi:foreign-free pointer)))

(defun open-channel (channel &key map source readonly (spin 0) (lock-timeout 0) type)
  "Open CHANNEL, a name or what CREATE-CHANNEL returned. SOURCE takes the source lock. SPIN and
LOCK-TIMEOUT are in seconds. TYPE is the type to expect, as for CREATE-CHANNEL."
  (call-with-type
   (lambda (c-type)
     (%open-channel (if (heap-p channel) "heap" channel) (and (heap-p channel) channel)
                    (lambda (attr)
                      (when map (setf (slot attr c-attr map) (enum-value map *maps*)))
                      (setf (slot attr c-attr lock-source) (if source 1 0)
                            (slot attr c-attr readonly) (if readonly 1 0)
                            (slot attr c-attr spin-ns) (nanoseconds spin)
                            (slot attr c-attr lock-timeout-ns) (nanoseconds lock-timeout)
                            (slot attr c-attr type) c-type))))
   type))

(defun close-channel (channel)
  "Close CHANNEL. A wait of another thread ends with the condition CLOSED; a view or reservation
that is in use lasts until it ends. Returns true if the channel was open."
  (values (close-resource channel)))

(defmacro with-channel ((variable channel &rest options) &body body)
  "Run BODY with VARIABLE bound to a channel that is opened as by OPEN-CHANNEL, and closed
afterwards."
  `(let ((,variable (open-channel ,channel ,@options)))
     (unwind-protect (progn ,@body)
       (close-channel ,variable))))

(defun unlink-channel (name)
  "Remove a channel's name."
  (ensure (ach-unlink name)))

(defvar *names*)

(cffi:defcallback collect-name :int ((context :pointer) (name :pointer) (map :int))
  (declare (ignore context map))
  (push (foreign-text name) *names*)
  0)

(defun list-channels ()
  "The names of all channels, in alphabetical order."
  (let ((*names* '()))
    (ensure (ach-list (cffi:callback collect-name) (cffi:null-pointer)))
    (nreverse *names*)))

(defun channel-path (name)
  "The file of a shared-memory channel."
  (cffi:with-foreign-object (path :uint8 4096)
    (ensure (ach-channel-path name path 4096))
    (foreign-text path)))

(defun chmod-channel (channel mode)
  "Set the permission bits of CHANNEL."
  (check-type mode (unsigned-byte 32))
  (check (using (c channel +exclusive+) (ach-chmod c mode)) channel :explained t))

;;; Put

(defun put-claim (channel)
  (if (channel-single-writer channel) +exclusive+ 0))

(defun put-pointer (channel pointer size)
  "Put SIZE bytes from foreign memory."
  (check-type size (unsigned-byte 62))
  (check (using (c channel (put-claim channel)) (ach-put c pointer size)) channel))

(defun element-size (vector)
  "Bytes of an element of a specialised vector, or NIL."
  (loop for (type . size) in '(((unsigned-byte 8) . 1) ((signed-byte 8) . 1)
                               ((unsigned-byte 16) . 2) ((signed-byte 16) . 2)
                               ((unsigned-byte 32) . 4) ((signed-byte 32) . 4) (single-float . 4)
                               ((unsigned-byte 64) . 8) ((signed-byte 64) . 8) (double-float . 8))
        when (equal type (array-element-type vector))
          return size))

(defun raw-vector (vector)
  "VECTOR, or a copy whose elements are as in C; and the size of an element."
  (let ((size (and (typep vector '(and (simple-array * (*)) (not octets))) (element-size vector))))
    (if size
        (values vector size)
        (values (octets-of vector) 1))))

(defun put (channel message)
  "Put MESSAGE: a vector of bytes, a vector whose elements have the type of a number of C, or a
string, which is encoded in UTF-8."
  (multiple-value-bind (vector size) (raw-vector message)
    (cffi:with-pointer-to-vector-data (pointer vector)
      (put-pointer channel pointer (* size (length vector))))))

(defun put-relayed (channel message &key (epoch 0) (seq 0) (stamp 0))
  "Put MESSAGE with its origin: where it was put first."
  (multiple-value-bind (vector size) (raw-vector message)
    (cffi:with-foreign-object (origin '(:struct c-origin))
      (setf (slot origin c-origin epoch) epoch
            (slot origin c-origin seq) seq
            (slot origin c-origin stamp) stamp)
      (cffi:with-pointer-to-vector-data (pointer vector)
        (check (using (c channel (put-claim channel))
                 (ach-put-relayed c pointer (* size (length vector)) origin))
               channel)))))

;;; Get

(defun call-with-limit (function channels wait last copy linked deadline)
  "Call FUNCTION with a timespec and options, as for ach_get, until it returns a status other than
:TIMEOUT or the deadline has passed."
  (let ((options (logior (if last +last+ 0) (if copy +copy+ 0) (if linked +linked+ 0))))
    (if (not wait)
        (funcall function (cffi:null-pointer) options)
        (cffi:with-foreign-object (limit '(:struct c-timespec))
          (setf (slot limit c-timespec tv-sec) 0)
          (call-in-slices (lambda (microseconds)
                            (setf (slot limit c-timespec tv-nsec) (* 1000 microseconds))
                            (funcall function limit (logior options +wait+ +reltime+)))
                          deadline
                          (mapcar #'resource-handle channels))))))

(defun count-read (channel)
  (setf (channel-reads channel) (logand most-positive-fixnum (1+ (channel-reads channel)))))

(defun get-pointer (channel pointer size &key wait last copy linked timeout)
  "Get a message into SIZE bytes of foreign memory. Returns the status, and the size of the
message if the status is :OK, :MISSED-FRAME or :OVERFLOW. Signals no errors but those of bad
arguments."
  (check-type size (unsigned-byte 62))
  (let ((deadline (deadline-of timeout)))
    (cffi:with-foreign-object (message-size :uint64)
      (setf (cffi:mem-ref message-size :uint64) 0)
      (values (using (c channel +exclusive+)
                (count-read channel)
                (call-with-limit (lambda (limit options)
                                   (ach-get c pointer size message-size limit options))
                                 (list channel) wait last copy linked deadline))
              (cffi:mem-ref message-size :uint64)))))

(defun get-into (channel buffer &rest options &key wait last copy linked timeout)
  "Get a message into BUFFER, a vector as for PUT that has the type of a number of C. Returns the
size in bytes and the status, as GET-MESSAGE does. Signals OVERFLOW if the message is larger; it
can still be got."
  (declare (ignore wait last copy linked timeout))
  (let ((element-size (and (typep buffer '(simple-array * (*))) (element-size buffer))))
    (unless element-size
      (error 'type-error :datum buffer :expected-type 'octets))
    (cffi:with-pointer-to-vector-data (pointer buffer)
      (multiple-value-bind (status size)
          (apply #'get-pointer channel pointer (* element-size (length buffer)) options)
        (case status
          ((:ok :missed-frame) (values size status))
          ((:eagain :timeout) (values nil status))
          (:overflow (fail :overflow :name (channel-name channel) :needed-size size))
          (t (check status channel)))))))

(defun try-message (channel options)
  "A message and the status; NIL and the status if there is none."
  (let ((buffer (make-array 0 :element-type '(unsigned-byte 8))))
    (loop
      (multiple-value-bind (status size)
          (cffi:with-pointer-to-vector-data (pointer buffer)
            (apply #'get-pointer channel pointer (length buffer) options))
        (case status
          ((:ok :missed-frame)
           (return (values (if (= size (length buffer)) buffer (subseq buffer 0 size)) status)))
          (:overflow (setf buffer (make-array size :element-type '(unsigned-byte 8))))
          (t (return (values nil status))))))))

(defun get-message (channel &rest options &key wait last copy linked timeout)
  "Get the oldest message that was not got yet, as octets. LAST: the newest. COPY: the last one
again if there is nothing new. WAIT: wait for one, TIMEOUT seconds at most. LINKED: signal ENOENT
if there is nothing new and the channel was removed. The second value is the status: :OK or
:MISSED-FRAME, which says that messages before this one were missed; without a message, :EAGAIN or
:TIMEOUT."
  (declare (ignore wait last copy linked timeout))
  (multiple-value-bind (message status) (try-message channel options)
    (if (or message (member status '(:eagain :timeout)))
        (values message status)
        (check status channel))))

(defun call-with-messages (function channel options)
  (loop
    (multiple-value-bind (message status) (try-message channel options)
      (cond (message (funcall function message status))
            ((member status '(:eagain :timeout :canceled)) (return))
            (t (check status channel))))))

(defmacro do-messages ((message channel &rest options) &body body)
  "Run BODY for each message of CHANNEL. MESSAGE is a variable, or a list of two: for the message
and its status. OPTIONS are those of GET-MESSAGE. The loop ends when there is no message; with
:WAIT T, when none came within the timeout, or when CANCEL is called."
  (destructuring-bind (message &optional (status (gensym "STATUS") used))
      (if (listp message) message (list message))
    `(block nil
       (call-with-messages (lambda (,message ,status)
                             ,@(unless used `((declare (ignore ,status))))
                             ,@body)
                           ,channel (list ,@options)))))

(defun flush-channel (channel)
  "Skip all messages that are in CHANNEL now."
  (check (using (c channel +exclusive+) (ach-flush c)) channel))

(defun cancel (channel)
  "End the waits on CHANNEL, now and until RESUME: they signal CANCELED. For any thread, at any
time."
  (check (using (c channel) (ach-cancel c (cffi:null-pointer))) channel))

(defun resume (channel)
  "End the effect of CANCEL."
  (check (using (c channel) (setf (slot c c-channel cancel) 0) :ok) channel))

(defun call-using-all (function channels)
  "Call FUNCTION with the foreign objects of all CHANNELS."
  (labels ((next (rest pointers)
             (if rest
                 (using (c (first rest) +exclusive+) (next (rest rest) (cons c pointers)))
                 (funcall function (nreverse pointers)))))
    (next channels '())))

(defun wait-channels (channels &key timeout linked)
  "Wait until one of CHANNELS has a new message. Returns a list with the status of each: :OK if it
has one, :EAGAIN if not, or an error; NIL if the timeout has passed."
  (let ((n (length channels))
        (deadline (deadline-of timeout)))
    (when (zerop n)
      (fail :einval :text "there are no channels to wait for"))
    (cffi:with-foreign-object (items '(:struct c-wait-item) n)
      (flet ((item (i) (cffi:mem-aptr items '(:struct c-wait-item) i)))
        (let ((status (call-using-all
                       (lambda (pointers)
                         (loop for i from 0
                               for pointer in pointers
                               do (setf (slot (item i) c-wait-item chan) pointer))
                         (call-with-limit (lambda (limit options)
                                            (ach-wait items n limit (logandc2 options +wait+)))
                                          channels t nil nil linked deadline))
                       channels)))
          (unless (eq status :timeout)
            (unless (eq status :ok)
              (check status (first channels) :explained t))
            (loop for i below n
                  collect (status-keyword (slot (item i) c-wait-item status)))))))))

;;; What is known of a channel

(defmacro with-result ((result type) (channel call) &body body)
  "Make CALL, which sets RESULT, and then run BODY."
  `(with-zeroed (,result ,type)
     (check ,call ,channel)
     ,@body))

(defun sequence-number (channel)
  "The number of the last message that was got or flushed; 0: none."
  (with-result (seq :uint64) (channel (using (c channel +exclusive+) (ach-channel-seq c seq)))
    (cffi:mem-ref seq :uint64)))

(defun missed (channel)
  "How many messages were missed: right before the last one, and in all."
  (cffi:with-foreign-objects ((last :uint64) (total :uint64))
    (check (using (c channel +exclusive+) (ach-channel-missed c last total)) channel)
    (values (cffi:mem-ref last :uint64) (cffi:mem-ref total :uint64))))

(defun timestamp (channel)
  "When the last message was put: seconds and nanoseconds on the channel's clock."
  (with-result (stamp (:struct c-timespec))
      (channel (using (c channel +exclusive+) (ach-channel-timestamp c stamp)))
    (values (slot stamp c-timespec tv-sec) (slot stamp c-timespec tv-nsec))))

(defun origin (channel)
  "Where the last message was put first: :EPOCH, :SEQ and :STAMP."
  (with-result (origin (:struct c-origin))
      (channel (using (c channel +exclusive+) (ach-channel-origin c origin)))
    (list :epoch (slot origin c-origin epoch)
          :seq (slot origin c-origin seq)
          :stamp (slot origin c-origin stamp))))

(defun channel-info (channel)
  "Facts about the channel and the handle: a property list with the members of ach_info_t."
  (with-result (info (:struct c-info))
      (channel (using (c channel +exclusive+) (ach-channel-info c info)))
    (append
     (loop for name in (cffi:foreign-slot-names '(:struct c-info))
           for value = (cffi:foreign-slot-value info '(:struct c-info) name)
           collect (intern (symbol-name name) '#:keyword)
           collect (case name
                     (map (enum-name value *maps*))
                     (clock (enum-name value *clocks*))
                     (ready (enum-name value *ready-mechanisms*))
                     (t value)))
     (loop for (name . bit) in *info-bits*
           collect name
           collect (logbitp (mod bit 8) (cffi:mem-ref info :uint8 (floor bit 8)))))))

(defun channel-map (channel)
  ":USER, :KERNEL or :ANON."
  (getf (channel-info channel) :map))

(defun channel-clock (channel)
  ":MONOTONIC or :REALTIME."
  (getf (channel-info channel) :clock))

(defun channel-type (channel)
  "What the messages are: :NAME, :ENCODING, :SCHEMA-ENCODING, :SCHEMA, and the :HASH of all. NIL:
the channel has no type. Any process that may write to the channel may have forged the schema."
  (cffi:with-foreign-object (pointer :pointer)
    (multiple-value-bind (status type)
        (using (c channel +exclusive+)
          (let ((status (ach-channel-type c pointer)))
            (values status (and (eq status :ok)
                                (type-plist (cffi:mem-ref pointer :pointer))))))
      (unless (eq status :enotsup)
        (check status channel)
        type))))

(defun type-plist (type)
  (list :name (foreign-text (slot type c-channel-type name))
        :encoding (foreign-text (slot type c-channel-type encoding))
        :schema-encoding (foreign-text (slot type c-channel-type schema-encoding))
        :schema (foreign-octets (slot type c-channel-type schema)
                                (slot type c-channel-type schema-size))
        :hash (cffi:foreign-funcall "ach_channel_type_hash" :pointer type :uint64)))

(defun channel-fd (channel)
  "A descriptor that is readable while there is something to get. It belongs to CHANNEL."
  (cffi:with-foreign-object (fd :int)
    (check (using (c channel +exclusive+) (ach-channel-fd c fd)) channel :explained t)
    (cffi:mem-ref fd :int)))

;;; Periods

(defun make-period (seconds)
  "A steady rate, for WAIT-PERIOD."
  (let ((period (make-array 2 :element-type '(signed-byte 64))))
    (cffi:with-pointer-to-vector-data (pointer period)
      (let ((status (ach-period-init pointer (nanoseconds seconds))))
        (unless (eq status :ok)
          (fail status :text "the length of a period is more than 0"))))
    period))

(defun wait-period (period)
  "Sleep until the next period begins, with interrupts deferred. Returns how many were missed."
  (check-type period (simple-array (signed-byte 64) (2)))
  (with-zeroed (missed :uint64)
    (let ((status (cffi:with-pointer-to-vector-data (pointer period)
                    (ach-period-wait pointer missed))))
      (unless (eq status :ok)
        (fail status))
      (cffi:mem-ref missed :uint64))))

(defun handle-sigbus ()
  "Let functions on a channel whose file was truncated signal CORRUPT instead of a SIGBUS."
  (ensure (ach-handle-sigbus)))
