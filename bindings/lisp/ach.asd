;;; SPDX-License-Identifier: BSD-3-Clause
(defsystem "ach"
  :description "Channels: messages between the processes of a robot, newest first"
  :license "BSD-3-Clause"
  :depends-on ("cffi")
  :serial t
  :components ((:file "package")
               (:file "condition")
               (:file "api")
               (:file "handle")
               (:file "channel")
               (:file "region")
               (:file "ach2")))

(defsystem "ach/devices"
  :description "Devices of robots, and messages of typed channels"
  :license "BSD-3-Clause"
  :depends-on ("ach")
  :serial t
  :components ((:file "body")
               (:file "definition")
               (:file "device")))
