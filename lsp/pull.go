package lsp

import (
	"context"
	"maps"
	"slices"
)

// pull asks the server about the files in want, and about those it holds open, whose
// errors may have come or gone with them. It reports false where ctx or stop ended it, or
// where the server did not answer of all of want. Some servers tell their findings only
// so: forge does not say that it could ask, so that those which can do both publish them.
func (s *session) pull(ctx context.Context, stop <-chan struct{}, want map[string]int) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked := make(chan bool, 1)
	paths := slices.Sorted(maps.Keys(want))
	versions := maps.Clone(want)
	for _, path := range slices.Sorted(maps.Keys(s.docs)) {
		if _, ok := want[path]; !ok {
			paths = append(paths, path)
			versions[path] = s.docs[path].version
		}
	}
	go func() {
		defer recovered("ask a language server")
		ok := true
		for _, path := range paths {
			_, must := want[path]
			if !s.ask(ctx, path, versions[path]) && must {
				ok = false
			}
		}
		asked <- ok
	}()
	select {
	case ok := <-asked:
		return ok
	case <-stop:
		return false
	case <-ctx.Done():
		return false
	}
}

// ask takes what the server answers of one file as what it would have published.
func (s *session) ask(ctx context.Context, path string, version int) bool {
	var r struct {
		Kind  string       `json:"kind"`
		Items []diagnostic `json:"items"`
	}
	uri := uriOf(path)
	err := s.conn.call(ctx, "textDocument/diagnostic", documentParams{identifier{URI: uri}}, &r)
	if err != nil || r.Kind != "full" {
		return false
	}
	s.found.take(publishParams{URI: uri, Version: &version, Diagnostics: r.Items})
	return true
}
