package acp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"forge/ui/lang"
)

// Standing is what a server says of itself and of what is open in it.
type Standing struct {
	Address string     `json:"address"`
	Version string     `json:"version"`
	PID     int        `json:"pid"`
	Since   string     `json:"since"` // RFC 3339
	Clients int        `json:"clients"`
	Open    []OpenTalk `json:"sessions"`
}

// Status asks a server how it stands; raw is what it said.
func Status(c io.ReadWriter) (s Standing, raw []byte, err error) {
	if raw, err = ask(c, methodStatus); err == nil {
		err = json.Unmarshal(raw, &s)
	}
	return s, raw, err
}

// Stop has a server end. It has ended when the connection has.
func Stop(c io.ReadWriter) error {
	_, err := ask(c, methodStop)
	return err
}

// ask is a client that wants to know one thing.
func ask(c io.ReadWriter, method string) (json.RawMessage, error) {
	r := bufio.NewReader(c)
	var result json.RawMessage
	for id, x := range []struct {
		method string
		params any
	}{{"initialize", map[string]any{"protocolVersion": protocol}}, {method, struct{}{}}} {
		id := int64(id)
		line, err := encoded(request{version, &id, x.method, x.params})
		if err != nil {
			return nil, err
		}
		if _, err := c.Write(line); err != nil {
			return nil, err
		}
		for {
			line, long, err := readLine(r, nil)
			if long || err != nil {
				return nil, fmt.Errorf(lang.T("the server's answer cannot be read: %w"), err)
			}
			var m message
			if json.Unmarshal(line, &m) != nil || m.Method != "" {
				continue
			}
			if m.failed() {
				return nil, m.problem()
			}
			if string(m.ID) == fmt.Sprint(id) {
				result = m.Result
				break
			}
		}
	}
	return result, nil
}
