package main

import "testing"

func (p *program) unprivileged(t *testing.T) func(args ...string) (stdout, stderr string, code int) {
	t.Skip("Windows keeps folders from people in another way")
	return nil
}
