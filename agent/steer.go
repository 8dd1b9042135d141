package agent

import "sync"

// mailbox holds what a person sent while the agent worked.
type mailbox struct {
	mu    sync.Mutex
	texts []string
}

func (m *mailbox) put(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.texts = append(m.texts, text)
}

func (m *mailbox) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := m.texts
	m.texts = nil
	return texts
}

func (m *mailbox) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.texts) == 0
}

// todoList holds what is to be done before the next model call.
type todoList struct {
	mu   sync.Mutex
	todo []func()
}

func (c *todoList) put(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.todo = append(c.todo, f)
}

func (c *todoList) take() []func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	todo := c.todo
	c.todo = nil
	return todo
}

// Soon hands the agent something to do before its next model call, in this run or the
// next one. f is called where nothing else uses the agent, so that it may do what is
// otherwise done between runs: SetModel, say. Any goroutine may call Soon at any time.
func (a *Agent) Soon(f func()) { a.soon.put(f) }

// change does what was handed in, unless the server waits for its own last message:
// only the one that paused understands it.
func (r *run) change() {
	if r.paused {
		return
	}
	for _, f := range r.soon.take() {
		f()
	}
}
