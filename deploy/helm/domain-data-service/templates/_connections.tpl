{{- /* Connections that PostgreSQL reserves for superusers, and those of `cli migrate`. */ -}}
{{- define "dds.connectionsApart" -}}
5
{{- end -}}

{{- /*
Connections to PostgreSQL when every service runs at its maximum, with one more pod for a Deployment that is being
replaced: a list of {service, pods, each, isOwn}, where `each` is the number per pod. As JSON.
*/ -}}
{{- define "dds.connections" -}}
{{- $root := . -}}
{{- $all := list -}}
{{- range (include "dds.services" . | fromJson).services -}}
{{- if .known.connections -}}
{{- $settings := include "dds.settings" (dict "root" $root "known" .known "is" .is) | fromJson -}}
{{- $each := 0 -}}
{{- range .known.connections -}}
{{- $each = add $each (ternary (get $settings (toString .)) . (kindIs "string" .) | int) -}}
{{- end -}}
{{- $pods := int .is.replicas -}}
{{- if .is.autoscaling.enabled }}{{ $pods = int .is.autoscaling.max }}{{ end -}}
{{- if .is.keda.enabled }}{{ $pods = int .is.keda.max }}{{ end -}}
{{- if and (eq .is.volume.size "") (or (not .known.consumes) (eq "1" (include "dds.leastPods" .is))) }}{{ $pods = add $pods 1 }}{{ end -}}
{{- $all = append $all (dict "service" .known.name "pods" $pods "each" $each "isOwn" .is.ownDatabase.enabled "max" .is.ownDatabase.maxConnections) -}}
{{- end -}}
{{- end -}}
{{- dict "all" $all | toJson -}}
{{- end -}}

{{- define "dds.connectionRefusals" -}}
{{- $faults := list -}}
{{- $max := int .Values.postgresql.maxConnections -}}
{{- $apart := include "dds.connectionsApart" . | int -}}
{{- $sum := $apart -}}
{{- $terms := list -}}
{{- range (include "dds.connections" . | fromJson).all -}}
{{- $own := add $apart (mul .pods .each) -}}
{{- if not .isOwn -}}
{{- $sum = add $sum (mul .pods .each) -}}
{{- $terms = append $terms (printf "%s %v x %v" .service .pods .each) -}}
{{- else if and .max (gt (int $own) (int .max)) -}}
{{- $faults = append $faults (printf "services.%s.ownDatabase.maxConnections is %v, but up to %v connections would be opened: raise max_connections of the server and this value, or reduce services.%s.database.poolSize." .service .max $own .service) -}}
{{- end -}}
{{- end -}}
{{- if and $max (gt (int $sum) $max) -}}
{{- $faults = append $faults (printf "postgresql.maxConnections is %d, but up to %d connections would be opened (%s, and %d reserved): raise max_connections of the server and this value, reduce defaults.database.poolSize, or use PgBouncer and set this to 0." $max (int $sum) (join ", " $terms) $apart) -}}
{{- end -}}
{{- dict "faults" $faults "sum" $sum | toJson -}}
{{- end -}}
