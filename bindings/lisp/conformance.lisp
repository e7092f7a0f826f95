;;; SPDX-License-Identifier: BSD-3-Clause
;;; conformance.lisp - the operations of bindings/conformance
;;;
;;; sbcl --script conformance.lisp PREFIX SCRIPT
(require :asdf)
(let ((*standard-output* *error-output*)) ; the compiler's messages are no part of the trace
  (asdf:load-asd (merge-pathnames "ach.asd" *load-truename*))
  (asdf:load-system "ach/devices"))

(defpackage #:ach-conformance (:use #:common-lisp))
(in-package #:ach-conformance)

(defvar *prefix*)
(defvar *handles* (make-hash-table :test 'equal))
(defvar *heaps* (make-hash-table :test 'equal))
(defvar *threads* (make-hash-table :test 'equal))

;;; Words of the script

(defun split (line separator)
  (loop for start = 0 then (1+ end)
        for end = (position separator line :start start)
        for word = (subseq line start end)
        unless (string= word "")
          collect word
        while end))

(defun value (words key)
  "The value of the word KEY=VALUE, or NIL."
  (loop with prefix = (concatenate 'string key "=")
        for word in words
        when (eql (length prefix) (or (mismatch prefix word) (length prefix)))
          return (subseq word (length prefix))))

(defun flag (words name)
  (and (member name words :test #'string=) t))

(defun number-of (words key &key (scale 1) (radix 10))
  (let ((value (value words key)))
    (and value (* scale (parse-integer value :radix radix)))))

(defun octets (word)
  (if (string= word "-")
      (make-array 0 :element-type '(unsigned-byte 8))
      (let* ((star (position #\* word))
             (bytes (loop for i from 0 below (or star (length word)) by 2
                          collect (parse-integer word :start i :end (+ i 2) :radix 16)))
             (times (if star (parse-integer word :start (1+ star)) 1)))
        (coerce (loop repeat times append bytes) '(simple-array (unsigned-byte 8) (*))))))

(defun hex (octets)
  (if (zerop (length octets)) "-" (format nil "~(~{~2,'0x~}~)" (coerce octets 'list))))

(defun channel-name (word)
  (if (char= #\$ (char word 0)) (concatenate 'string *prefix* (subseq word 1)) word))

(defun type-of-words (words)
  (let ((name (value words "type")))
    (and name
         (list :name name :encoding (value words "encoding")
               :schema-encoding (or (value words "schema_encoding") "")
               :schema (octets (or (value words "schema") "-"))))))

(defun handle (name)
  (or (gethash name *handles*)
      (error 'ach:closed :status :closed :text "")))

;;; Operations return a list of results, and a status if it is not OK.

(defvar *operations* (make-hash-table :test 'equal))

(defmacro define-operation (name lambda-list &body body)
  `(setf (gethash ,name *operations*)
         (lambda (words)
           (destructuring-bind ,lambda-list words ,@body))))

(define-operation "create" (c count size &rest words)
  (let* ((name (channel-name c))
         (created (ach:create-channel
                   name :frame-count (parse-integer count) :frame-size (parse-integer size)
                   :map (cond ((flag words "heap") :anon)
                              ((flag words "kernel") :kernel))
                   :clock (let ((clock (value words "clock")))
                            (and clock (intern (string-upcase clock) :keyword)))
                   :mode (number-of words "mode" :radix 8)
                   :truncate (flag words "truncate") :timestamps (flag words "timestamps")
                   :readonly-wake (flag words "readonly_wake")
                   :single-writer (flag words "single_writer") :relayed (flag words "relayed")
                   :anticipated (flag words "anticipated")
                   :type (type-of-words words))))
    (when (flag words "heap")
      (setf (gethash name *heaps*) created))
    nil))

(define-operation "open" (h c &rest words)
  (let ((name (channel-name c)))
    (remhash h *handles*)
    (setf (gethash h *handles*)
          (ach:open-channel (gethash name *heaps* name)
                            :readonly (flag words "readonly") :source (flag words "source")
                            :spin (or (number-of words "spin" :scale 1/1000000000) 0)
                            :lock-timeout (or (number-of words "lock_timeout" :scale 1/1000000000)
                                              0)
                            :type (type-of-words words)))
    nil))

(define-operation "close" (h)
  (values nil (if (ach:close-channel (handle h)) :ok :closed)))

(define-operation "unlink" (c) (ach:unlink-channel (channel-name c)) nil)

(define-operation "exists" (c)
  (list (if (find (channel-name c) (ach:list-channels) :test #'string=) "yes" "no")))

(define-operation "chmod" (h mode)
  (ach:chmod-channel (handle h) (parse-integer mode :radix 8))
  nil)

(define-operation "put" (h bytes) (ach:put (handle h) (octets bytes)) nil)

(define-operation "relay" (h bytes epoch seq stamp)
  (ach:put-relayed (handle h) (octets bytes) :epoch (parse-integer epoch) :seq (parse-integer seq)
                                             :stamp (parse-integer stamp))
  nil)

(define-operation "reserve" (h size bytes)
  (ach:region-replace (ach:reserve (handle h) (parse-integer size)) (octets bytes))
  nil)

(define-operation "commit" (h size) (ach:commit (handle h) (parse-integer size)) nil)

(define-operation "abort" (h) (ach:abort-reservation (handle h)) nil)

(defun options (words)
  (list :wait (flag words "wait") :last (flag words "last") :copy (flag words "copy")
        :linked (flag words "linked") :timeout (number-of words "timeout" :scale 1/1000)))

(define-operation "get" (h size &rest words)
  (let ((buffer (make-array (parse-integer size) :element-type '(unsigned-byte 8))))
    (handler-case
        (multiple-value-bind (size status)
            (apply #'ach:get-into (handle h) buffer (options words))
          (values (and size (list size (hex (subseq buffer 0 size)))) status))
      (ach:overflow (condition)
        (values (list (ach:needed-size condition)) :overflow)))))

(define-operation "view" (h &rest words)
  (multiple-value-bind (results status)
      (destructuring-bind (&key wait last copy linked timeout) (options words)
        (ach:with-view (view (handle h) :wait wait :last last :copy copy :linked linked
                                        :timeout timeout)
          (values (list (ach:region-size view) (hex (ach:region-octets view)))
                  (ach:region-status view))))
    (values results (or status :eagain))))

(define-operation "check" (h) (ach:check-view (handle h)) nil)

(define-operation "flush" (h) (ach:flush-channel (handle h)) nil)

(define-operation "cancel" (h) (ach:cancel (handle h)) nil)

(define-operation "resume" (h) (ach:resume (handle h)) nil)

(define-operation "seq" (h) (list (ach:sequence-number (handle h))))

(define-operation "missed" (h) (multiple-value-list (ach:missed (handle h))))

(define-operation "stamped" (h) (ach:timestamp (handle h)) nil)

(define-operation "origin" (h)
  (destructuring-bind (&key epoch seq stamp) (ach:origin (handle h))
    (list epoch seq stamp)))

(define-operation "type" (h)
  (destructuring-bind (&key name encoding schema-encoding schema hash) (ach:channel-type (handle h))
    (if name
        (list name encoding (if (string= schema-encoding "") "-" schema-encoding) (hex schema)
              (format nil "~(~16,'0x~)" hash))
        (values nil :enotsup))))

(define-operation "info" (h)
  (loop with info = (ach:channel-info (handle h))
        for key in '(:frame-cnt :frame-size :newest :oldest :seen :received :missed :timestamps
                     :single-writer :relayed :typed :anticipated :readonly :source)
        for value = (getf info key)
        collect (case value ((t) 1) ((nil) 0) (t value))))

(define-operation "map" (h) (list (string-downcase (ach:channel-map (handle h)))))

(define-operation "clock" (h) (list (string-downcase (ach:channel-clock (handle h)))))

(define-operation "path" (c) (ach:channel-path (channel-name c)) nil)

(define-operation "poll" (h milliseconds)
  (list (if (sb-sys:wait-until-fd-usable (ach:channel-fd (handle h)) :input
                                         (/ (parse-integer milliseconds) 1000) nil)
            "yes" "no")))

(define-operation "wait" (&rest words)
  (let ((statuses (ach:wait-channels
                   (mapcar #'handle (remove-if (lambda (word) (find #\= word)) words))
                   :timeout (number-of words "timeout" :scale 1/1000))))
    (values (mapcar #'status-name statuses) (if statuses :ok :timeout))))

(define-operation "period" (microseconds count)
  (let ((period (ach:make-period (/ (parse-integer microseconds) 1000000))))
    (loop repeat (parse-integer count)
          do (ach:wait-period period))))

(define-operation "async" (k &rest words)
  (setf (gethash k *threads*)
        (sb-thread:make-thread (lambda () (multiple-value-list (run words)))))
  nil)

(define-operation "join" (k)
  (values-list (sb-thread:join-thread (gethash k *threads*))))

;;; Devices

(defun address (word)
  (let ((at (search "$where" word)))
    (if at
        (concatenate 'string (subseq word 0 at) (environment "ACH_CONFORMANCE_WHERE")
                     (subseq word (+ at (length "$where"))))
        word)))

(defun environment (name)
  (or (sb-ext:posix-getenv name) (error "~A is not set" name)))

(defun key (name)
  (intern (substitute #\- #\_ (string-upcase name)) :keyword))

(defun scalar (text)
  "A number, or the text itself."
  (if (and (plusp (length text)) (every (lambda (char) (find char "-.0123456789")) text))
      (let ((*read-default-float-format* 'double-float)
            (*read-eval* nil))
        (read-from-string text))
      text))

(defun add-field (plist path text)
  "PLIST with the value at PATH, a list of names."
  (let ((key (key (first path))))
    (setf (getf plist key)
          (cond ((rest path) (add-field (getf plist key) (rest path) text))
                ((find #\, text) (map 'vector #'scalar (split text #\,)))
                (t (scalar text))))
    plist))

(defun fields (words)
  "Words like vel.px=0.5 as a property list."
  (let ((plist '()))
    (dolist (word words plist)
      (let ((equals (position #\= word)))
        (setf plist (add-field plist (split (subseq word 0 equals) #\.)
                               (subseq word (1+ equals))))))))

(defun double-bits (number)
  (let ((double (coerce number 'double-float)))
    (format nil "~(~16,'0x~)"
            (logior (ash (ldb (byte 32 0) (sb-kernel:double-float-high-bits double)) 32)
                    (sb-kernel:double-float-low-bits double)))))

(defun describe-value (path value)
  "A list of PATH=VALUE."
  (flet ((line (text) (list (format nil "~A=~A" path text))))
    (etypecase value
      (cons (describe-fields path value))
      (boolean (line (if value 1 0)))
      (integer (line value))
      (float (line (double-bits value)))
      (string (line (hex (sb-ext:string-to-octets value :external-format :utf-8))))
      (vector (loop for element across value
                    for i from 0
                    append (describe-value (format nil "~A[~D]" path i) element))))))

(defun describe-fields (path plist)
  (loop for (key value) on plist by #'cddr
        append (describe-value (format nil "~@[~A.~]~(~A~)" path (substitute #\_ #\- (string key)))
                               value)))

(define-operation "device" (d address)
  (remhash d *handles*)
  (setf (gethash d *handles*) (ach:open-device (address address) :timeout 10))
  nil)

(define-operation "data" (d name)
  (multiple-value-bind (plist found status)
      (ach:get-data (handle d) :name name :wait t :timeout 10)
    (declare (ignore found))
    (values (describe-fields nil plist) status)))

(define-operation "command" (d name &rest words)
  (apply #'ach:command (handle d) name (fields words))
  nil)

(define-operation "request" (d name &rest words)
  (describe-fields nil (ach:request (handle d) name :fields (fields words) :timeout 10)))

(define-operation "device-flush" (d) (ach:flush-device (handle d) :timeout 10) nil)

(define-operation "device-close" (d)
  (values nil (nth-value 1 (ach:close-device (handle d)))))

(define-operation "devices" (address)
  (list (length (ach:list-devices (address address)))))

;;; The script

(defun status-name (status)
  (substitute #\_ #\- (symbol-name status)))

(defun run (words)
  "The results and the status of an operation."
  (let ((operation (or (gethash (first words) *operations*)
                       (error "no such operation: ~A" (first words)))))
    (handler-case (multiple-value-bind (results status) (funcall operation (rest words))
                    (values results (or status :ok)))
      (ach:ach-error (condition) (values nil (ach:status condition))))))

(defun main (prefix script)
  (setf *prefix* prefix)
  (with-open-file (stream script)
    (loop for line = (read-line stream nil)
          for number from 1
          for words = (and line (split line #\Space))
          while line
          unless (or (null words) (char= #\# (char line 0)))
            do (multiple-value-bind (results status) (run words)
                 (format t "~D ~A ~A~{ ~A~}~%" number (first words) (status-name status) results)
                 (finish-output)))))

(apply #'main (last sb-ext:*posix-argv* 2))
