// Checks histories of memories for linearizability with porcupine, which knows nothing of this program.
//
//	go run . [-visualize FILE] < history.ndjson
//
// Each line is one operation on one memory (see ../chaos/history.ts). Prints a verdict in JSON. The exit status is 0 if every
// memory behaves like one that exists once and changes at one instant per operation, 1 if not, and 2 if that could not be decided.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// Call of an operation. Value is what a write stores; Expected is the revision that a conditional write names.
type input struct {
	Kind     string
	Value    string
	Expected int
}

// Answer of an operation. Without a status the outcome is unknown. An empty value is one that is not known.
type output struct {
	Status   int
	Revision int
	Value    string
	Deleted  bool
}

type line struct {
	Client   int     `json:"client"`
	Memory   string  `json:"memory"`
	Kind     string  `json:"kind"`
	Value    string  `json:"value"`
	Expected int     `json:"expected"`
	Call     int64   `json:"call"`
	Return   *int64  `json:"return"`
	Answer   *answer `json:"answer"`
}

type answer struct {
	Status   int    `json:"status"`
	Revision int    `json:"revision"`
	Value    string `json:"value"`
	Deleted  bool   `json:"deleted"`
}

type memory struct {
	Revision int
	Value    string
	Deleted  bool
}

const (
	ok              = 200
	memoryDeleted   = 409
	revisionMissed  = 412
	timeLimit       = 60 * time.Second
	longestLine     = 1 << 20
	initialContents = "v0"
)

// effect returns the state after a command and the status that it must answer.
func effect(state memory, in input) (memory, int) {
	next := state
	next.Revision++
	switch in.Kind {
	case "read":
		return state, ok
	case "delete":
		next.Deleted = true
		if state.Deleted {
			return state, ok
		}
		return next, ok
	case "restore":
		next.Deleted = false
		if !state.Deleted {
			return state, ok
		}
		return next, ok
	case "conditional":
		if in.Expected != state.Revision {
			return state, revisionMissed
		}
	}
	if state.Deleted {
		return state, memoryDeleted
	}
	next.Value = in.Value
	return next, ok
}

var model = porcupine.Model{
	Init: func() interface{} { return memory{Value: initialContents} },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		next, status := effect(state.(memory), in.(input))
		answered := out.(output)
		if answered.Status == 0 {
			return true, next
		}
		if answered.Status != status {
			return false, state
		}
		shown := memory{answered.Revision, answered.Value, answered.Deleted}
		if shown.Value == "" {
			shown.Value = next.Value
		}
		return status != ok || shown == next, next
	},
	DescribeOperation: func(in, out interface{}) string {
		i, o := in.(input), out.(output)
		call := i.Kind + " " + i.Value
		if i.Kind == "conditional" {
			call += fmt.Sprintf(" if %d", i.Expected)
		}
		switch o.Status {
		case 0:
			return call + " -> ?"
		case ok:
			return fmt.Sprintf("%s -> %s@%d deleted=%t", call, o.Value, o.Revision, o.Deleted)
		default:
			return fmt.Sprintf("%s -> %d", call, o.Status)
		}
	},
	DescribeState: func(state interface{}) string { return fmt.Sprintf("%+v", state) },
}

type verdict struct {
	Operations int      `json:"operations"`
	Unknown    int      `json:"unknown"`
	Memories   int      `json:"memories"`
	Illegal    []string `json:"illegal"`
	Undecided  []string `json:"undecided"`
}

func main() {
	visualize := flag.String("visualize", "", "file for a page that shows the history of a memory that is not linearizable")
	flag.Parse()
	histories, result, err := read()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ids := make([]string, 0, len(histories))
	for id := range histories {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		checked, info := porcupine.CheckOperationsVerbose(model, histories[id], timeLimit)
		switch checked {
		case porcupine.Illegal:
			result.Illegal = append(result.Illegal, id)
			if *visualize != "" && len(result.Illegal) == 1 {
				if err := porcupine.VisualizePath(model, info, *visualize); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		case porcupine.Unknown:
			result.Undecided = append(result.Undecided, id)
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
	switch {
	case len(result.Illegal) > 0:
		os.Exit(1)
	case len(result.Undecided) > 0:
		os.Exit(2)
	}
}

func read() (map[string][]porcupine.Operation, verdict, error) {
	histories := map[string][]porcupine.Operation{}
	result := verdict{Illegal: []string{}, Undecided: []string{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	for number := 1; lines.Scan(); number++ {
		var one line
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, result, fmt.Errorf("line %d: %w", number, err)
		}
		operation := porcupine.Operation{
			ClientId: one.Client,
			Input:    input{one.Kind, one.Value, one.Expected},
			Call:     one.Call,
			Output:   output{},
			Return:   math.MaxInt64,
		}
		if one.Return != nil {
			operation.Return = *one.Return
		}
		if one.Answer != nil {
			operation.Output = output{one.Answer.Status, one.Answer.Revision, one.Answer.Value, one.Answer.Deleted}
		} else {
			result.Unknown++
		}
		result.Operations++
		histories[one.Memory] = append(histories[one.Memory], operation)
	}
	result.Memories = len(histories)
	return histories, result, lines.Err()
}
