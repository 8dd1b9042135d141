package acp

import "encoding/json"

// What the protocol's messages hold, in its own names. Fields forge has no use for are
// not listed: what comes with more is read all the same.

// protocol is the version of the protocol spoken here.
const protocol = 1

type (
	initializeParams struct {
		Version *json.Number `json:"protocolVersion"`
		Client  struct {
			Session *struct {
				Compaction *struct{} `json:"compaction"`
				Notices    *struct{} `json:"notices"`
			} `json:"session"`
			Elicitation *struct {
				Form *struct{} `json:"form"`
			} `json:"elicitation"`
			Auth struct {
				Terminal bool `json:"terminal"`
			} `json:"auth"`
		} `json:"clientCapabilities"`
		Info *implementation `json:"clientInfo"`
	}
	implementation struct {
		Name    string `json:"name"`
		Title   string `json:"title,omitempty"`
		Version string `json:"version"`
	}
	authMethod struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`

		// Of one that is a command to be run in a terminal: what stands behind forge's own.
		Type string   `json:"type,omitempty"`
		Args []string `json:"args,omitempty"`
	}
	startParams struct {
		ID      string      `json:"sessionId"`
		Cwd     string      `json:"cwd"`
		AddDirs []string    `json:"additionalDirectories"`
		Servers []mcpServer `json:"mcpServers"`
	}
	mcpServer struct {
		Type    string      `json:"type"`
		Name    string      `json:"name"`
		Command string      `json:"command"`
		Args    []string    `json:"args"`
		Env     []namedText `json:"env"`
		URL     string      `json:"url"`
		Headers []namedText `json:"headers"`
	}
	namedText struct{ Name, Value string }

	promptParams struct {
		ID     string  `json:"sessionId"`
		Prompt []block `json:"prompt"`
	}
	promptResult struct {
		Stop string `json:"stopReason"`
	}
)

// block is content, either way. Of a resource, it holds Text or Blob.
type block struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MIME     string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType,omitempty"`
	Text *string `json:"text,omitempty"`
	Blob string  `json:"blob,omitempty"`
}

func textBlock(s string) block { return block{Type: "text", Text: &s} }

// update is one of session/update. Which fields it has depends on Kind.
type update struct {
	Kind    string `json:"sessionUpdate,omitempty"`
	Message string `json:"messageId,omitempty"`

	// Content is a block of a chunk, or the list of a call.
	Content any `json:"content,omitempty"`

	Call      string          `json:"toolCallId,omitempty"`
	Title     string          `json:"title,omitempty"`
	CallKind  string          `json:"kind,omitempty"`
	Status    string          `json:"status,omitempty"`
	Locations []location      `json:"locations,omitempty"`
	RawInput  json.RawMessage `json:"rawInput,omitempty"`

	Commands []command `json:"availableCommands,omitempty"`
	Mode     string    `json:"currentModeId,omitempty"`
	Options  []option  `json:"configOptions,omitempty"`

	Used *int  `json:"used,omitempty"`
	Size *int  `json:"size,omitempty"`
	Cost *cost `json:"cost,omitempty"`

	Severity    string `json:"severity,omitempty"`
	Description string `json:"description,omitempty"`
	Compaction  string `json:"compactionId,omitempty"`
	Failed      string `json:"error,omitempty"`

	// needs is what a client must show for this update to be of use to it, and or what it
	// is told in its place.
	needs capability
	or    *update
}

type (
	updateParams struct {
		ID     string `json:"sessionId"`
		Update any    `json:"update"`
	}
	location struct {
		Path string `json:"path"`
		Line int    `json:"line,omitempty"` // from 1
	}
	// callContent is a block, or a diff. Old is null for a file that was not there.
	callContent struct {
		Type    string  `json:"type"`
		Content *block  `json:"content,omitempty"`
		Path    string  `json:"path,omitempty"`
		Old     *string `json:"oldText,omitempty"`
		New     *string `json:"newText,omitempty"`
	}
	plan struct {
		Kind    string      `json:"sessionUpdate"`
		Entries []planEntry `json:"entries"`
	}
	planEntry struct {
		Text     string `json:"content"`
		Priority string `json:"priority"`
		Status   string `json:"status"`
	}
	command struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Input       *hint  `json:"input,omitempty"`
	}
	hint struct {
		Hint string `json:"hint"`
	}
	cost struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	}
	option struct {
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		Description string   `json:"description,omitempty"`
		Category    string   `json:"category"`
		Type        string   `json:"type"`
		Value       string   `json:"currentValue"`
		Options     []choice `json:"options"`
	}
	choice struct {
		Value       string `json:"value"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	modeState struct {
		Current string     `json:"currentModeId"`
		All     []modeInfo `json:"availableModes"`
	}
	modeInfo struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	modelState struct {
		Current string      `json:"currentModelId"`
		All     []modelInfo `json:"availableModels"`
	}
	modelInfo struct {
		ID          string `json:"modelId"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	startResult struct {
		ID      string      `json:"sessionId,omitempty"`
		Modes   *modeState  `json:"modes,omitempty"`
		Models  *modelState `json:"models,omitempty"` // for clients from before there were options
		Options []option    `json:"configOptions,omitempty"`
	}
	permissionParams struct {
		ID      string             `json:"sessionId"`
		Call    update             `json:"toolCall"`
		Options []permissionOption `json:"options"`
	}
	permissionOption struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	permissionResult struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	}
	formParams struct {
		ID      string `json:"sessionId"`
		Mode    string `json:"mode"`
		Message string `json:"message"`
		Schema  schema `json:"requestedSchema"`
	}
	formResult struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	// schema describes a form, and property a value in it.
	schema struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}
	property struct {
		Type        string    `json:"type"`
		Title       string    `json:"title,omitempty"`
		Description string    `json:"description,omitempty"`
		Default     any       `json:"default,omitempty"`
		OneOf       []constOf `json:"oneOf,omitempty"`
		Items       *items    `json:"items,omitempty"`
	}
	items struct {
		AnyOf []constOf `json:"anyOf"`
	}
	constOf struct {
		Const string `json:"const"`
		Title string `json:"title"`
	}
	infoUpdate struct {
		Kind    string `json:"sessionUpdate"`
		Title   string `json:"title,omitempty"`
		Updated string `json:"updatedAt,omitempty"`
		Meta    *meta  `json:"_meta,omitempty"`
	}
	storedInfo struct {
		ID      string `json:"sessionId"`
		Cwd     string `json:"cwd"`
		Title   string `json:"title,omitempty"`
		Updated string `json:"updatedAt,omitempty"`
		Meta    *meta  `json:"_meta,omitempty"`
	}
	// meta is what the protocol has no field for, where it wants that to stand.
	meta struct {
		Forge standing `json:"forge"`
	}
	// standing is how an open conversation of a house stands.
	standing struct {
		State   string `json:"state"`                // idle, running, or waiting for an answer
		Stop    string `json:"stopReason,omitempty"` // why the last prompt ended
		Clients int    `json:"clients"`              // that look at it
	}
)
