;;; SPDX-License-Identifier: BSD-3-Clause
;;; package.lisp - the names that programs use. condition.lisp exports a condition for each status.
(defpackage #:ach
  (:use #:common-lisp)
  (:export
   ;; Errors
   #:ach-error #:status #:needed-size #:in-use #:overwritten #:retry
   ;; Channels
   #:create-channel #:open-channel #:close-channel #:with-channel #:unlink-channel #:chmod-channel
   #:list-channels #:channel-path #:channel #:channel-name
   #:put #:put-pointer #:put-relayed
   #:get-message #:get-into #:get-pointer #:do-messages #:wait-channels
   #:flush-channel #:cancel #:resume
   #:channel-fd #:channel-info #:channel-map #:channel-clock #:channel-type #:sequence-number
   #:missed #:timestamp #:origin #:make-period #:wait-period #:handle-sigbus
   ;; In place
   #:with-view #:check-view #:with-reservation #:reserve #:commit #:abort-reservation
   #:region #:region-size #:region-status #:region-pointer #:region-ref #:region-octets
   #:region-replace
   ;; Devices, and messages of typed channels: the system ach/devices
   #:open-device #:close-device #:with-device #:get-data #:command #:request #:flush-device
   #:list-devices #:device #:device-name #:device-fd #:device-transport #:device-lost
   #:make-definition #:channel-definition #:decode #:encode
   ;; Ach 2
   #:put-buffer #:put-object #:get-buffer #:get-foreign-alloc))
