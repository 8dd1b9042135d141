package main

import (
	"sync/atomic"

	"forge/tools/sandbox"
)

// sitting is what stays while a conversation moves from folder to folder: it is of the
// process and of the person, and each forge of it has it. It is made before anything else
// runs.
type sitting struct {
	now    atomic.Pointer[forge]  // whose folder is worked in; nil: that of the first
	spoke  atomic.Bool            // the person sent something
	logged atomic.Pointer[string] // the conversation, for the log

	guardian *sandbox.Guardian
	ends     []func() // in the order they were begun in
}

// sits is it, made where there is none yet.
func (f *forge) sits() *sitting {
	if f.sitting == nil {
		f.sitting = &sitting{}
	}
	return f.sitting
}

// atEnd does something when the process is done with, wherever the conversation is then.
func (f *forge) atEnd(do func()) {
	s := f.sits()
	s.ends = append(s.ends, do)
}

// guarded is the one guardian there is of what is started.
func (f *forge) guarded() *sandbox.Guardian {
	s := f.sits()
	if s.guardian == nil {
		s.guardian = sandbox.NewGuardian(self())
		f.atEnd(s.guardian.Close)
	}
	return s.guardian
}

// current is the forge whose folder is worked in.
func (f *forge) current() *forge {
	if f.sitting != nil {
		if now := f.sitting.now.Load(); now != nil {
			return now
		}
	}
	return f
}
