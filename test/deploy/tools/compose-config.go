// Prints Compose files as YAML, as Compose's own parser reads them, like `docker compose config`.
package main

import (
	"context"
	"log"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:],
		cli.WithOsEnv, cli.WithEnvFiles(), cli.WithDotEnv, cli.WithDefaultProfiles())
	if err != nil {
		log.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	text, err := project.MarshalYAML()
	if err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(text)
}
