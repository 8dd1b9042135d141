package mcp

import (
	"context"
	"fmt"
	"strings"
)

// maxWatched is how many resources of one server are watched at a time.
const maxWatched = 32

// A watchedResource is one the model has read. armed: its next change is news.
type watchedResource struct{ armed bool }

// watch asks the server to tell when a resource changes that was read. It is asked in
// the background: reading does not wait for it, and where it is refused nothing is
// lost.
func (s *server) watch(session Session, uri string) {
	if !session.About().HasSubscriptions {
		return
	}
	s.mu.Lock()
	w := s.watched[uri]
	fresh := w == nil && len(s.watched) < maxWatched
	if fresh {
		w = &watchedResource{}
		s.watched[uri] = w
	}
	if w != nil {
		w.armed = true
	}
	s.mu.Unlock()
	if fresh {
		s.subscribe(session, uri)
	}
}

func (s *server) subscribe(session Session, uri string) {
	go func() {
		defer recovered("watch a resource")
		ctx, cancel := context.WithTimeout(context.Background(), askLimit)
		defer cancel()
		if err := session.Watch(ctx, uri); err != nil {
			s.log.printf("forge: changes of %s are not told: %v", clip(clean(uri), 200), err)
		}
	}()
}

// watchAgain asks a new session for what the one before was asked for.
func (s *server) watchAgain(session Session) {
	if !session.About().HasSubscriptions {
		return
	}
	s.mu.Lock()
	var uris []string
	for uri := range s.watched {
		uris = append(uris, uri)
	}
	s.mu.Unlock()
	for _, uri := range uris {
		s.subscribe(session, uri)
	}
}

// resourceChanged has the model told, once for each time it has read: what it knows is
// no longer so. A server may name a part of what was asked for.
func (s *server) resourceChanged(uri string) {
	s.mu.Lock()
	news := false
	for asked, w := range s.watched {
		if w.armed && (asked == uri || strings.HasPrefix(uri, asked)) {
			w.armed, news = false, true
		}
	}
	s.mu.Unlock()
	if news {
		s.m.tell(fmt.Sprintf("The resource %s of the MCP server %s has changed since it was read; read_resource reads it again.", clip(clean(uri), 300), s.name))
	}
}
