package mcp

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
)

// fleet is the servers there are at one time, sorted by name. It is never changed.
type fleet struct{ all []*server }

func (f *fleet) named(name string) *server {
	i, ok := slices.BinarySearchFunc(f.all, name, func(s *server, name string) int {
		switch {
		case s.name < name:
			return -1
		case s.name > name:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return f.all[i]
}

func (f *fleet) names() []string {
	var out []string
	for _, s := range f.all {
		out = append(out, s.name)
	}
	return out
}

// Configure makes servers those there are: new ones are started, those that are configured
// in another way are started anew, and those that are left out are ended and their tools
// taken away with the model's next turn. The others run on, untouched. It names what is new
// ("+a"), gone ("-b") or another ("c"), and waits at most about two seconds, for servers
// to end.
func (m *Manager) Configure(servers map[string]ServerConfig) (changed []string) {
	m.setting.Lock()
	defer m.setting.Unlock()
	was, now := m.fleet.Load(), &fleet{}
	names := slices.Sorted(maps.Keys(servers))
	keys := serverKeys(names)
	var fresh, ending []*server
	for _, name := range names {
		old := was.named(name)
		if old != nil && old.key == keys[name] && sameServer(old.cfg, servers[name]) {
			now.all = append(now.all, old)
			continue
		}
		if old != nil {
			changed, ending = append(changed, name), append(ending, old)
		} else {
			changed = append(changed, "+"+name)
		}
		s := newServer(m, name, keys[name], servers[name])
		s.dirty = true // the registry may have tools of another one of that name
		fresh, now.all = append(fresh, s), append(now.all, s)
	}
	var gone []string
	for _, s := range was.all {
		if _, stays := servers[s.name]; !stays {
			changed, gone, ending = append(changed, "-"+s.name), append(gone, s.name), append(ending, s)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var wg sync.WaitGroup
	for _, s := range ending {
		s.stop()
		wg.Add(1)
		go func() {
			defer recovered("end a server")
			defer wg.Done()
			<-s.ended
		}()
	}
	wg.Wait()
	m.fleet.Store(now)
	m.mu.Lock()
	m.gone = append(m.gone, gone...)
	m.mu.Unlock()
	for _, s := range fresh {
		var ctx context.Context
		ctx, s.stop = context.WithCancel(m.ctx)
		go s.live(ctx)
	}
	m.stirred()
	return changed
}

// sameServer reports whether two configurations are one, wherever in its file it stands.
func sameServer(a, b ServerConfig) bool {
	a.Source.Line, b.Source.Line = 0, 0
	return reflect.DeepEqual(a, b)
}

// forget takes the tools of servers that are gone out of the registry. turning is held.
func (m *Manager) forget(f *fleet) {
	m.mu.Lock()
	gone := m.gone
	m.gone = nil
	m.mu.Unlock()
	for _, name := range gone {
		if f.named(name) == nil && m.o.Registry != nil {
			_ = m.o.Registry.Set("mcp:"+name, nil, false) // no tools have no names that clash
		}
	}
}
