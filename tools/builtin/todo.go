package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"forge/tools"
)

// Todo is one thing to do.
type Todo struct {
	Text   string `json:"text"`
	Status string `json:"status" enum:"pending,in_progress,done"`
}

// Todos is the list a model keeps of its work. Its methods may be called from any
// goroutine.
type Todos struct {
	mu    sync.Mutex
	items []Todo
}

// List returns the list as it is now.
func (t *Todos) List() []Todo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.items)
}

// Set replaces the list: by the tool, or by a session that is resumed.
func (t *Todos) Set(items []Todo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.items = slices.Clone(items)
}

const maxTodos = 100

type todoInput struct {
	Items []Todo `json:"items"`
}

// TodoName is what the tool is called.
const TodoName = "todo"

// ParseTodos reads the list out of a call of the tool that worked once: a session is
// resumed with it.
func ParseTodos(input string) ([]Todo, error) {
	var in todoInput
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		return nil, fmt.Errorf("read the todo list: %w", err)
	}
	return in.Items, nil
}

func newTodo(e *Env) tools.Tool {
	return tools.Func(TodoName, "Keep a list of the steps of a task, which the person sees. Send the whole list each time, with one item in_progress.",
		func(_ context.Context, _ tools.Call, in todoInput) (*tools.Invocation, error) {
			if len(in.Items) > maxTodos {
				return nil, fmt.Errorf("todo: %d items, at most %d are kept; put small steps together", len(in.Items), maxTodos)
			}
			for i := range in.Items {
				if in.Items[i].Text = strings.Join(strings.Fields(in.Items[i].Text), " "); in.Items[i].Text == "" {
					return nil, fmt.Errorf("todo: items[%d].text is empty; say what is to be done", i)
				}
			}
			done := 0
			for _, it := range in.Items {
				if it.Status == "done" {
					done++
				}
			}
			return &tools.Invocation{
				Effect: tools.Effect{Kind: tools.Internal, Title: fmt.Sprintf("todo: %d of %d done", done, len(in.Items))},
				Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
					e.Todos.Set(in.Items)
					return tools.Result{Text: todoText(in.Items)}, nil
				},
			}, nil
		})
}

func todoText(items []Todo) string {
	if len(items) == 0 {
		return "the list is empty"
	}
	var b strings.Builder
	for _, it := range items {
		mark := map[string]string{"done": "x", "in_progress": ">"}[it.Status]
		if mark == "" {
			mark = " "
		}
		fmt.Fprintf(&b, "[%s] %s\n", mark, it.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
