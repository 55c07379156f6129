// words.go - how often each argument is there; names of Go, and files of its library.
package main

import (
	"fmt"
	"os"
	"sort"
)

type counts map[string]int

func (c counts) add(word string) { c[word]++ }

func main() {
	c := counts{}
	for _, word := range os.Args {
		c.add(word)
	}
	words := []string{}
	for word := range c {
		words = append(words, word)
	}
	sort.Strings(words)
	fmt.Println(words)
}
