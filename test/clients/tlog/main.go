// Verifies a log that is served as C2SP tlog-tiles with the packages note and tlog of the Go checksum database: the signature of its
// head, and every leaf against the tree of that head.
//
//	go run . http://127.0.0.1:8080/tlog/ VERIFIER_KEY
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const width = 256

// remote reads tiles by their C2SP addresses, which have no height in them.
type remote struct{ prefix string }

func (remote) Height() int                         { return 8 }
func (remote) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (r remote) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		data, err := get(r.prefix + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func get(url string) ([]byte, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return io.ReadAll(response.Body)
}

func main() {
	prefix, key := os.Args[1], os.Args[2]
	verifier, err := note.NewVerifier(key)
	check(err)
	signed, err := get(prefix + "checkpoint")
	check(err)
	head, err := note.Open(signed, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(head.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	check(err)
	tree := tlog.Tree{N: size, Hash: tlog.Hash(root)}
	hashes := tlog.TileHashReader(tree, remote{prefix})
	for first := int64(0); first < size; first += width {
		count := min(width, size-first)
		tile := tlog.Tile{H: 8, L: -1, N: first / width, W: int(count)}
		path := strings.Replace(strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1), "tile/8/", "tile/", 1)
		bundle, err := get(prefix + path)
		check(err)
		for index := first; index < first+count; index++ {
			length := int(binary.BigEndian.Uint16(bundle))
			leaf := tlog.RecordHash(bundle[2 : 2+length])
			bundle = bundle[2+length:]
			kept, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
			check(err)
			if kept[0] != leaf {
				log.Fatalf("leaf %d is not that of the tree", index)
			}
		}
	}
	fmt.Printf("verified %d leaves of %s\n", size, lines[0])
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
