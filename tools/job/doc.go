// Package job is a Windows job object that holds a program and all it starts, so that
// they can be ended together, and end with forge, however that ends.
//
// It owns the object's handle. tools/sandbox and tools/child hold one for each program
// they start there; on other systems, where processes have groups, nothing of it is
// built.
package job
