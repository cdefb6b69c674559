#!/usr/bin/env bash
# Apache HugeGraph 1.7.0 from Maven's artifacts, with its RocksDB backend, at 127.0.0.1 only. For comparisons on one machine: its data are
# thrown away with its folder.
# With HUGEGRAPH_CASSANDRA=HOST:PORT, HugeGraph 1.5.0, the last release that can, stores in the Cassandra that answers there, in
# keyspaces whose names begin with "hugegraph" and which stay.
#
#   run.sh start DIR PORT [KEY=VALUE ...]   fetch, initialise, start; returns when it answers
#   run.sh stop DIR                         end the process
#
# With HUGEGRAPH_PASSWORD set, authentication is on and that is the password of `admin`.
# KEY=VALUE are lines of rest-server.properties, or of the graph's own settings where KEY begins with "rocksdb.". Its Gremlin server takes PORT+1. The jars (about 280 MB) are kept in
# ${RHIZOME_CACHE}/hugegraph-server, or hugegraph-server-cassandra. HUGEGRAPH_HEAP_MB is the largest heap; without it half of the free memory, as HugeGraph's own script.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
source "$here/../../../scripts/lib.sh"

cassandra=${HUGEGRAPH_CASSANDRA:-}
version=1.7.0
jars=$RHIZOME_CACHE/hugegraph-server
if [[ -n $cassandra ]]; then
    version=1.5.0
    jars+=-cassandra
fi
lib=$jars/lib

running() { [[ -e $1/pid ]] && kill -0 "$(cat "$1/pid")" 2>/dev/null; }

# The stamp holds a copy of the pom that the jars were fetched for.
fetch() {
    local stamp=$jars/pom.xml profile=()
    if cmp -s "$here/pom.xml" "$stamp"; then return; fi
    "$root/scripts/setup.sh" java
    say "Fetching Apache HugeGraph $version with Maven, about 280 MB"
    rm -rf "$lib"
    mkdir -p "$lib"
    if [[ -n $cassandra ]]; then profile=(-P cassandra); fi
    mvn -B -ntp -q -f "$here/pom.xml" "${profile[@]}" -DincludeScope=runtime -DoutputDirectory="$lib" dependency:copy-dependencies </dev/null
    # 1.5.0 has none.
    if [[ -z $cassandra ]]; then
        (cd "$lib" && mvn -B -ntp -q dependency:copy -Dartifact="org.apache.hugegraph:hugegraph-struct:$version" -DoutputDirectory="$lib" </dev/null)
    fi
    cp "$here/pom.xml" "$stamp"
}

configure() { # DIR PORT [KEY=VALUE ...]
    local dir=$1 port=$2 file line
    shift 2
    mkdir -p "$dir/conf/first" "$dir/logs" "$dir/data"
    cp -r "$here/conf/." "$dir/conf"
    mv "$dir/conf/backend.properties" "$dir/conf/first/"
    while IFS= read -r file; do
        sed -i -e "s|@DIR@|$dir|g" -e "s|@PORT@|$port|g" -e "s|@GREMLIN_PORT@|$((port + 1))|g" "$file"
    done < <(find "$dir/conf" -type f)
    if [[ -n $cassandra ]]; then store_in_cassandra "$dir"; fi
    if [[ -n ${HUGEGRAPH_PASSWORD:-} ]]; then authenticate "$dir"; fi
    for line in "$@"; do
        file=$dir/conf/rest-server.properties
        if [[ $line == rocksdb.* ]]; then file=$dir/conf/graphs/hugegraph.properties; fi
        sed -i "/^${line%%=*}=/d" "$file"
        printf '%s\n' "$line" >>"$file"
    done
}

# The lines of the stock distribution for one node.
store_in_cassandra() { # DIR
    local graph=$1/conf/graphs/hugegraph.properties
    sed -i -e '/^rocksdb\./d' -e 's/^\(backend\|serializer\)=.*/\1=cassandra/' "$graph"
    printf 'cassandra.%s\n' "host=${cassandra%:*}" "port=${cassandra##*:}" keyspace.strategy=SimpleStrategy keyspace.replication=1 >>"$graph"
    echo 'backends=[cassandra]' >"$1/conf/first/backend.properties"
}

# What bin/enable-auth.sh of the distribution writes, and a class without which it does not start on Java 17.
authenticate() { # DIR
    local class=org.apache.hugegraph.auth
    printf 'auth.authenticator=%s.StandardAuthenticator\nauth.graph_store=hugegraph\n' $class >>"$1/conf/rest-server.properties"
    sed -i "s|^gremlin.graph=.*|gremlin.graph=$class.HugeFactoryAuthProxy|" "$1/conf/graphs/hugegraph.properties"
    printf 'authentication: {authenticator: %s.StandardAuthenticator, authenticationHandler: %s.WsAndHttpBasicAuthHandler, config: {tokens: %s}}\n' \
        $class $class "$1/conf/rest-server.properties" >>"$1/conf/gremlin-server.yaml"
    javac -d "$1/conf/first" "$here/auth/org/apache/hugegraph/util/Reflection.java"
}

# In the order of the stock script: our settings, the logger, HugeGraph, the rest.
classpath() { # DIR
    {
        echo "$1/conf/first"
        find "$lib" -name 'log4j-slf4j-impl*.jar' | sort
        find "$lib" -name 'hugegraph*.jar' | sort
        find "$lib" -name '*.jar' ! -name 'hugegraph*' ! -name 'log4j-slf4j-impl*' | sort
    } | paste -s -d :
}

heap_mb() { awk '/^MemAvailable:/ { half = int($2 / 2048); if (half > 32768) half = 32768; if (half < 512) half = 512; print half }' /proc/meminfo; }

start() { # DIR PORT [KEY=VALUE ...]
    (($# >= 2)) || usage
    mkdir -p "$1"
    local dir port=$2 classes opens=(--add-exports=java.base/jdk.internal.reflect=ALL-UNNAMED)
    dir=$(cd -P "$1" && pwd)
    shift 2
    if running "$dir"; then die "already running: pid $(cat "$dir/pid")"; fi
    if port_in_use 127.0.0.1 "$port"; then die "port $port is taken"; fi
    fetch
    configure "$dir" "$port" "$@"
    classes=$(classpath "$dir")
    cd "$dir"
    if [[ ! -e data/initialised ]]; then
        java -cp "$classes" "${opens[@]}" -Dlog4j.configurationFile="$dir/conf/log4j2.xml" \
            org.apache.hugegraph.cmd.InitStore conf/rest-server.properties >logs/init-store.log 2>&1 <<<"${HUGEGRAPH_PASSWORD:-}" ||
            { tail -n 20 logs/init-store.log >&2; die "HugeGraph's store could not be initialised; the last lines are above."; }
        touch data/initialised
    fi
    # The options of the stock script.
    nohup java -server -Dname=HugeGraphServer -Dlog4j.configurationFile="$dir/conf/log4j2.xml" \
        -Djava.security.manager=org.apache.hugegraph.security.HugeSecurityManager \
        -Xms512m -Xmx"${HUGEGRAPH_HEAP_MB:-$(heap_mb)}"m "${opens[@]}" \
        --add-modules=jdk.unsupported --add-exports=java.base/sun.nio.ch=ALL-UNNAMED \
        -XX:+ParallelRefProcEnabled -XX:InitiatingHeapOccupancyPercent=50 -XX:G1RSetUpdatingPauseTimePercent=5 \
        -cp "$classes" org.apache.hugegraph.dist.HugeGraphServer conf/gremlin-server.yaml conf/rest-server.properties \
        >logs/server.log 2>&1 </dev/null &
    echo $! >pid
    echo "http://127.0.0.1:$port" >url
    for _ in {1..900}; do
        if ! running "$dir"; then
            tail -n 20 logs/server.log >&2
            die "HugeGraph ended at its start; the last lines are above."
        fi
        # The REST interface answers before the Gremlin server is up, which still takes processor time then.
        if port_in_use 127.0.0.1 "$((port + 1))" && [[ $(http_status 127.0.0.1 "$port" /graphs/hugegraph 2>/dev/null || true) =~ ^(200|401)$ ]]; then
            say "HugeGraph $version at http://127.0.0.1:$port, process $(cat pid)"
            return
        fi
        sleep 0.1
    done
    die "HugeGraph does not answer after 90 s; see $dir/logs"
}

stop() { # DIR
    (($# == 1)) || usage
    local dir=$1 pid
    if ! running "$dir"; then
        rm -f "$dir/pid"
        return
    fi
    pid=$(cat "$dir/pid")
    # At once, without good order: nobody wants its data.
    kill -KILL "$pid"
    for _ in {1..100}; do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    rm -f "$dir/pid"
}

usage() { die "usage: run.sh start DIR PORT [KEY=VALUE ...] | stop DIR"; }

case ${1:-} in
start) shift; start "$@" ;;
stop) shift; stop "$@" ;;
*) usage ;;
esac
