{{- define "dds.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (.Values.nameOverride | default .Chart.Name) .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" (.Release.Name | trunc 36 | trimSuffix "-") (.Values.nameOverride | default "dds") | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "dds.namespace" -}}
{{ .Values.namespaceOverride | default .Release.Namespace }}
{{- end -}}

{{- define "dds.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dds.labels" -}}
{{ include "dds.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* For all resources that contain data: neither `helm uninstall` nor turning off their value deletes them. */ -}}
{{- define "dds.keep" -}}
helm.sh/resource-policy: keep
{{- end -}}

{{- define "dds.image" -}}
{{ include "dds.mirrored" (dict "root" . "image" .Values.image.repository) }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- /* The name of an image, with its registry replaced by global.imageRegistry. */ -}}
{{- define "dds.mirrored" -}}
{{- $registry := (.root.Values.global | default dict).imageRegistry | default "" -}}
{{- if $registry -}}
{{ trimSuffix "/" $registry }}/{{ regexReplaceAll "^[^/]*[.:][^/]*/" .image "" }}
{{- else -}}
{{ .image }}
{{- end -}}
{{- end -}}

{{- /* The Secret and key of one secret: {name, key}. As JSON. */ -}}
{{- define "dds.secret" -}}
{{- $own := get .root.Values.secrets.items .key | default dict -}}
{{- dict "name" ($own.secret | default .root.Values.secrets.name) "key" ($own.key | default .key) | toJson -}}
{{- end -}}

{{- /* The port of a URL, or the default port: {url, otherwise}. */ -}}
{{- define "dds.portOf" -}}
{{- $named := regexFind ":[0-9]+" (regexReplaceAll "^[a-z]+://" .url "") -}}
{{ trimPrefix ":" $named | default (toString .otherwise) }}
{{- end -}}

{{- define "dds.valkeyPort" -}}
{{ ternary .Values.valkey.port (include "dds.portOf" (dict "url" .Values.valkey.url "otherwise" 6379) | int) (eq .Values.valkey.url "") }}
{{- end -}}

{{- define "dds.otlpPort" -}}
{{ include "dds.portOf" (dict "url" .Values.telemetry.otlpEndpoint "otherwise" (ternary 443 80 (hasPrefix "https:" .Values.telemetry.otlpEndpoint))) }}
{{- end -}}

{{- /* The facts about each running service (`known`) with its values (`is`). As JSON. */ -}}
{{- define "dds.services" -}}
{{- $root := . -}}
{{- $running := list -}}
{{- range (.Files.Get "files/services.json" | fromJson).services -}}
{{- $is := mergeOverwrite (deepCopy $root.Values.defaults) (deepCopy (get $root.Values.services .name | default dict)) -}}
{{- if $is.enabled -}}
{{- $running = append $running (dict "known" . "is" $is) -}}
{{- end -}}
{{- end -}}
{{- dict "services" $running | toJson -}}
{{- end -}}

{{- define "dds.kind" -}}
{{ ternary "StatefulSet" "Deployment" (ne .volume.size "") }}
{{- end -}}

{{- /* The Service that gives the pods of a StatefulSet their names. An installed StatefulSet keeps its Service, because this field cannot change. */ -}}
{{- define "dds.headlessName" -}}
{{- $name := printf "%s-%s" (include "dds.fullname" .root) .known.name -}}
{{- $running := lookup "apps/v1" "StatefulSet" (include "dds.namespace" .root) $name -}}
{{ dig "spec" "serviceName" (printf "%s-pods" $name) $running }}
{{- end -}}

{{- /* The smallest number of pods of a service at any time. */ -}}
{{- define "dds.leastPods" -}}
{{- if .keda.enabled }}{{ .keda.min }}{{ else if .autoscaling.enabled }}{{ .autoscaling.min }}{{ else }}{{ .replicas }}{{ end -}}
{{- end -}}

{{- /*
The number of pods. If a scaler is configured, it sets the number. Until it does, the current number is repeated here,
because an omitted number becomes 1. Afterwards it must be omitted, because the server rejects two managers of one field.
Without a cluster, as in `helm template`, there is no current number.
*/ -}}
{{- define "dds.replicas" -}}
{{- if or .is.autoscaling.enabled .is.keda.enabled -}}
{{- $name := printf "%s-%s" (include "dds.fullname" .root) .known.name -}}
{{- $running := lookup "apps/v1" (include "dds.kind" .is) (include "dds.namespace" .root) $name -}}
{{- $hasScaler := false -}}
{{- range dig "metadata" "managedFields" list $running -}}
{{- if and (eq (.subresource | default "") "scale") (hasKey (dig "fieldsV1" "f:spec" dict .) "f:replicas") -}}
{{- $hasScaler = true -}}
{{- end -}}
{{- end -}}
{{- if and $running (not $hasScaler) }}{{ $running.spec.replicas }}{{ end -}}
{{- else -}}
{{ .is.replicas }}
{{- end -}}
{{- end -}}

{{- define "dds.kafkaBrokers" -}}
{{- if .Values.kafka.strimzi.enabled -}}
{{ include "dds.fullname" . }}-kafka-kafka-bootstrap:9093
{{- else -}}
{{ join "," .Values.kafka.brokers }}
{{- end -}}
{{- end -}}

{{- /* The ports of the brokers, for network policies. As JSON. */ -}}
{{- define "dds.kafkaPorts" -}}
{{- $ports := list -}}
{{- range splitList "," (include "dds.kafkaBrokers" .) -}}
{{- $ports = append $ports (regexFind "[0-9]+$" . | int) -}}
{{- end -}}
{{- dict "ports" (uniq $ports) | toJson -}}
{{- end -}}

{{- define "dds.kafkaTls" -}}
{{- if or .Values.kafka.tls .Values.kafka.strimzi.enabled }}true{{ end -}}
{{- end -}}

{{- define "dds.internalTls" -}}
{{- if ne .Values.internalTls.by "none" }}true{{ end -}}
{{- end -}}

{{- /* The Secret with the certificate of a service. */ -}}
{{- define "dds.tlsSecret" -}}
{{- if eq .root.Values.internalTls.by "secrets" -}}
{{ .root.Values.internalTls.secretPrefix }}{{ .name }}
{{- else -}}
{{ include "dds.fullname" .root }}-{{ .name }}-tls
{{- end -}}
{{- end -}}

{{- define "dds.kafkaCa" -}}
{{- if .Values.kafka.strimzi.enabled -}}
{{ dict "secret" (printf "%s-kafka-cluster-ca-cert" (include "dds.fullname" .)) "key" "ca.crt" | toJson }}
{{- else -}}
{{ .Values.kafka.ca | toJson }}
{{- end -}}
{{- end -}}

{{- define "dds.postgresCa" -}}
{{- if .Values.postgresql.cluster.enabled -}}
{{ dict "secret" (printf "%s-postgres-ca" (include "dds.fullname" .)) "key" "ca.crt" | toJson }}
{{- else -}}
{{ .Values.postgresql.ca | toJson }}
{{- end -}}
{{- end -}}
