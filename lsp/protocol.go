package lsp

import "encoding/json"

// The parts of the protocol that are used, in its own names.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type diagnostic struct {
	Range    span            `json:"range"`
	Severity int             `json:"severity"`
	Code     json.RawMessage `json:"code"`
	Source   string          `json:"source"`
	Message  json.RawMessage `json:"message"` // a text; from 3.18 on also {kind, value}
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type identifier struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
}

type openParams struct {
	Document struct {
		URI      string `json:"uri"`
		Language string `json:"languageId"`
		Version  int    `json:"version"`
		Text     string `json:"text"`
	} `json:"textDocument"`
}

type wholeText struct {
	Text string `json:"text"`
}

type changeParams struct {
	Document identifier  `json:"textDocument"`
	Changes  []wholeText `json:"contentChanges"`
}

type documentParams struct {
	Document identifier `json:"textDocument"`
}

type folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// What happened to a file, in the protocol's numbers.
const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

type fileEvent struct {
	URI  string `json:"uri"`
	Type int    `json:"type"`
}

type initializeResult struct {
	Capabilities struct {
		Encoding string          `json:"positionEncoding"`
		Sync     json.RawMessage `json:"textDocumentSync"`
		Pull     json.RawMessage `json:"diagnosticProvider"`
	} `json:"capabilities"`
	Server struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

// How a server wants to be told of changes.
const (
	syncNone = 0
	syncFull = 1
)

// syncOf reads that; saves says whether it wants to hear that a file was saved.
func syncOf(raw json.RawMessage) (kind int, saves bool) {
	if json.Unmarshal(raw, &kind) == nil {
		return kind, true
	}
	var o struct {
		Change int             `json:"change"`
		Save   json.RawMessage `json:"save"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return syncFull, true
	}
	return o.Change, isSet(o.Save)
}

// isSet says whether a server has a capability, in whatever form it says so.
func isSet(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "false" && string(raw) != "null"
}

// capabilities is what forge can do, as a server is told.
const capabilities = `{
	"general": {"positionEncodings": ["utf-8", "utf-16"]},
	"window": {"workDoneProgress": true},
	"workspace": {"configuration": true, "workspaceFolders": true, "didChangeConfiguration": {"dynamicRegistration": true},
		"didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true}},
	"textDocument": {
		"synchronization": {"didSave": true},
		"publishDiagnostics": {"versionSupport": true, "relatedInformation": false}}
}`
