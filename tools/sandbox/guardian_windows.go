package sandbox

import "syscall"

// guards: the job objects of commands end with forge, and what is in them too.
const guards = false

func ownSession() *syscall.SysProcAttr { return nil }
func ignoreSignals()                   {}

func markedProcesses(string) []stray { return nil }
