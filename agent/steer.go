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
