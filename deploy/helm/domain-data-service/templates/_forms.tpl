{{- /* Checks the format of strings and describes it in words; the schema would only show a regular expression. As JSON. */ -}}
{{- define "dds.formRefusals" -}}
{{- $v := .Values -}}
{{- $host := "^$|^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$" -}}
{{- $size := "^$|^[1-9][0-9]*(Mi|Gi|Ti)$" -}}
{{- $rules := list
  (list "image.repository" $v.image.repository "^[^:@ ]*(:[0-9]+/[^:@ ]+)?$" "a name without a tag, such as registry.example.org/domain-data-service")
  (list "image.tag" $v.image.tag "^$|^[A-Za-z0-9_][A-Za-z0-9_.-]*(@sha256:[0-9a-f]{64})?$" "a tag, with or without its digest, such as 0.1.0")
  (list "hosts.api" $v.hosts.api $host "a host name without scheme, port or path, such as api.example.org")
  (list "hosts.dashboard" $v.hosts.dashboard $host "a host name without scheme, port or path, such as app.example.org")
  (list "hosts.callbacks" $v.hosts.callbacks $host "a host name without scheme, port or path, such as callbacks.example.org")
  (list "kafka.prefix" $v.kafka.prefix "^[a-zA-Z0-9._-]{0,100}$" "letters, digits, dots, hyphens and underscores, at most 100")
  (list "valkey.url" $v.valkey.url "^$|^rediss?://[^@]+$" "redis://host:6379 without a password; a URL with a password belongs in the Secret (valkey.fromSecret)")
  (list "valkey.instance.image" $v.valkey.instance.image "^[^ @]+:[^ :@]+(@sha256:[0-9a-f]{64})?$" "an image with its tag, such as valkey/valkey:8.1.4-alpine")
  (list "telemetry.otlpEndpoint" $v.telemetry.otlpEndpoint "^$|^https?://[^/ ]+" "a URL with its scheme, such as http://otel.example.org:4318")
  (list "internalTls.secretPrefix" $v.internalTls.secretPrefix "^[a-z0-9-]{0,40}$" "lower case letters, digits and hyphens, at most 40")
  (list "postgresql.cluster.storage" $v.postgresql.cluster.storage $size "a size in Mi, Gi or Ti, such as 20Gi")
  (list "kafka.strimzi.storage" $v.kafka.strimzi.storage $size "a size in Mi, Gi or Ti, such as 20Gi")
-}}
{{- range $v.trustedProxies -}}
{{- $rules = append $rules (list "trustedProxies" . "^[0-9a-f.:]+(/[0-9]{1,3})?$" "IP addresses or CIDR blocks, such as 10.1.0.0/16") -}}
{{- end -}}
{{- range $v.kafka.brokers -}}
{{- $rules = append $rules (list "kafka.brokers" . "^[^:\\s,/]+:[0-9]{1,5}$" "host:port, such as kafka.example.org:9093") -}}
{{- end -}}
{{- range concat $v.networkPolicy.clusterRanges $v.networkPolicy.clusterRangesV6 -}}
{{- $rules = append $rules (list "networkPolicy.clusterRanges" . "^[0-9a-f.:]+/[0-9]{1,3}$" "CIDR blocks, such as 10.0.0.0/8") -}}
{{- end -}}
{{- range $name, $is := merge (dict "" $v.defaults) $v.services -}}
{{- $path := ternary "defaults" (printf "services.%s" $name) (eq $name "") -}}
{{- $rules = append $rules (list (printf "%s.volume.size" $path) (dig "volume" "size" "" $is) $size "a size in Mi, Gi or Ti, such as 1Gi") -}}
{{- range dig "nodeOptions" list $is -}}
{{- $rules = append $rules (list (printf "%s.nodeOptions" $path) . "^--" "options for Node, such as --max-old-space-size=512") -}}
{{- end -}}
{{- range $env, $_ := dig "settings" dict $is -}}
{{- $rules = append $rules (list (printf "%s.settings" $path) $env "^[A-Z][A-Z0-9_]*$" "names of settings, such as LOG_LEVEL") -}}
{{- end -}}
{{- end -}}
{{- $faults := list -}}
{{- range $rule := $rules -}}
{{- if not (regexMatch (index $rule 2) (index $rule 1)) -}}
{{- $faults = append $faults (printf "%s is %q: write %s." (index $rule 0) (index $rule 1) (index $rule 3)) -}}
{{- end -}}
{{- end -}}
{{- dict "faults" $faults | toJson -}}
{{- end -}}

{{- /* A Kubernetes quantity as a number; empty for any other string. */ -}}
{{- define "dds.quantity" -}}
{{- $text := toString . -}}
{{- if regexMatch "^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$" $text -}}
{{- $factors := dict "" 1.0 "m" 0.001 "k" 1e3 "Ki" 1024.0 "M" 1e6 "Mi" 1048576.0 "G" 1e9 "Gi" 1073741824.0 "T" 1e12 "Ti" 1099511627776.0 -}}
{{ mulf (regexFind "^[0-9.]+" $text | float64) (get $factors (regexFind "[A-Za-z]+$" $text)) | printf "%f" }}
{{- end -}}
{{- end -}}

{{- /* Faults in resources: {path, resources, byCpu: whether the service is scaled by CPU}. As JSON. */ -}}
{{- define "dds.resourceRefusals" -}}
{{- $path := .path -}}
{{- $faults := list -}}
{{- $resources := .resources -}}
{{- range $kind := list "requests" "limits" -}}
{{- range $what, $much := get $resources $kind | default dict -}}
{{- if and (ne $much nil) (eq (include "dds.quantity" $much) "") -}}
{{- $faults = append $faults (printf "%s.resources.%s.%s is %q: write a quantity, such as 500m for cpu or 256Mi for memory." $path $kind $what (toString $much)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $what, $much := $resources.requests -}}
{{- $most := get ($resources.limits | default dict) $what | default "" -}}
{{- $asked := include "dds.quantity" ($much | default "") -}}
{{- $limit := include "dds.quantity" $most -}}
{{- if and $asked $limit (gt (float64 $asked) (float64 $limit)) -}}
{{- $faults = append $faults (printf "%s.resources requests %v of %s, but the limit is %v: no pod would start, so raise the limit or request less." $path $much $what $most) -}}
{{- end -}}
{{- end -}}
{{- if and .byCpu (not (get $resources.requests "cpu")) -}}
{{- $faults = append $faults (printf "%s.resources.requests.cpu is empty, but scaling by CPU is relative to this value: set it." $path) -}}
{{- end -}}
{{- dict "faults" $faults | toJson -}}
{{- end -}}

{{- /* Faults in values that cannot change in an installed StatefulSet: {root, known, is}. As JSON. */ -}}
{{- define "dds.volumeRefusals" -}}
{{- $faults := list -}}
{{- $name := printf "%s-%s" (include "dds.fullname" .root) .known.name -}}
{{- $running := dict -}}
{{- if .is.volume.size }}{{ $running = lookup "apps/v1" "StatefulSet" (include "dds.namespace" .root) $name }}{{ end -}}
{{- range dig "spec" "volumeClaimTemplates" list $running -}}
{{- $size := dig "spec" "resources" "requests" "storage" "" . -}}
{{- if ne $size $.is.volume.size -}}
{{- $faults = append $faults (printf "services.%s.volume.size is %s, but the volumes were created with %s, and Kubernetes cannot change the volumes of a StatefulSet. Keep %s, or recreate the StatefulSet: kubectl delete statefulset %s --cascade=orphan; existing volumes keep their size until you resize them." $.known.name $.is.volume.size $size $size $name) -}}
{{- end -}}
{{- end -}}
{{- dict "faults" $faults | toJson -}}
{{- end -}}
