package tools

import "context"

// Recorder remembers what calls change, so that it can be taken back.
type Recorder interface {
	// Watch is told of a call that may change files before it runs; what it returns is
	// called after. paths are the files that will be written, absolute, where that is
	// known; else the call may change anything.
	Watch(ctx context.Context, title string, paths []string) (done func())
}

// watch lets the recorder look before a call, and returns what lets it look after.
// Calls that change no files are no business of it: nor is one that starts another
// agent, whose own calls come through the door one by one.
// title is the call's as a model may know it: e may hold what it may not.
func (x *Executor) watch(ctx context.Context, title string, e Effect) (done func()) {
	switch {
	case x.Recorder == nil, e.Kind == Read, e.Kind == Internal, e.Kind == Delegate:
		return func() {}
	case e.Kind == Write:
		return x.Recorder.Watch(ctx, title, e.Paths)
	}
	return x.Recorder.Watch(ctx, title, nil)
}
