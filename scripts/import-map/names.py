"""What people know better than the data: checked by hand, and put over what scripts/import-map/generate.py finds."""

MODULES = {
    'Bio': 'biopython',
    'PySide6': 'pyside6',
    'RPi': 'rpi-gpio',
    'TCLIService': 'pyhive',
    'adbc_driver_duckdb': 'duckdb',
    'airflow': 'apache-airflow',
    'artifactory': 'dohq-artifactory',
    'attr': 'attrs',
    'binance': 'python-binance',
    'box_sdk_gen': 'boxsdk',
    'bson': 'pymongo',
    'bumpversion': 'bump-my-version',
    'cattr': 'cattrs',
    'clang': 'libclang',
    'clip': 'openai-clip',
    'clr': 'pythonnet',
    'community': 'python-louvain',
    'consul': 'python-consul',
    'cupy': 'cupy-cuda12x',
    'curl': 'pycurl',
    'cv2': 'opencv-python',
    'dbus': 'dbus-python',
    'dogpile': 'dogpile-cache',
    'ens': 'web3',
    'faiss': 'faiss-cpu',
    'fasttext': 'fasttext-wheel',
    'ffmpeg': 'ffmpeg-python',
    'fitz': 'pymupdf',
    'fpdf': 'fpdf2',
    'functorch': 'torch',
    'fuse': 'fusepy',
    'gi': 'pygobject',
    'gnupg': 'python-gnupg',
    'googlesearch': 'googlesearch-python',
    'gribapi': 'eccodes',
    'gridfs': 'pymongo',
    'hnswlib': 'hnswlib',
    'ibm_db_dbi': 'ibm-db',
    'imdb': 'cinemagoer',
    'inference': 'inference',
    'kernprof': 'line-profiler',
    'lightning_fabric': 'lightning-fabric',
    'llama_cpp': 'llama-cpp-python',
    'lzo': 'python-lzo',
    'matlab': 'matlabengine',
    'mlflow': 'mlflow',
    'mprof': 'memory-profiler',
    'multipart': 'python-multipart',
    'mysql': 'mysql-connector-python',
    'nmap': 'python-nmap',
    'osgeo': 'gdal',
    'ot': 'pot',
    'pandas_profiling': 'ydata-profiling',
    'past': 'future',
    'peutils': 'pefile',
    'pkg_resources': 'setuptools',
    'playhouse': 'peewee',
    'psycopg2': 'psycopg2-binary',
    'pwn': 'pwntools',
    'pyVim': 'pyvmomi',
    'pydantic_ai': 'pydantic-ai',
    'pylab': 'matplotlib',
    'pynvml': 'nvidia-ml-py',
    'pypandoc': 'pypandoc',
    'pyroscope': 'pyroscope-io',
    'pyximport': 'cython',
    'redshift_sqlalchemy': 'sqlalchemy-redshift',
    'rtmidi': 'python-rtmidi',
    'ruamel': 'ruamel-yaml',
    'skbio': 'scikit-bio',
    'skfuzzy': 'scikit-fuzzy',
    'skopt': 'scikit-optimize',
    'sksparse': 'scikit-sparse',
    'sksurv': 'scikit-survival',
    'skvideo': 'scikit-video',
    'slack': 'slackclient',
    'smbclient': 'smbprotocol',
    'stl': 'numpy-stl',
    'stomp': 'stomp-py',
    'suds': 'suds-community',
    'tlz': 'toolz',
    'tree': 'dm-tree',
    'twitter': 'python-twitter',
    'ulid': 'python-ulid',
    'vlc': 'python-vlc',
    'vtkmodules': 'vtk',
    'win32ctypes': 'pywin32-ctypes',
    'wx': 'wxpython',
    'yaml12': 'py-yaml12',
    'yaml_env_tag': 'pyyaml-env-tag',
    'yandex': 'yandexcloud',
}
"""Distributions by module. One of the module's own name keeps the data from saying otherwise."""

SHARED = {
    'aws_cdk': ['aws-cdk-lib', 'aws-cdk-core'],
    'azure': ['azure-identity', 'azure-storage-blob', 'azure-keyvault-secrets'],
    'azureml': ['azureml-core', 'azureml-mlflow'],
    'backports': ['backports-zoneinfo', 'backports-tarfile', 'backports-zstd'],
    'collective': ['collective-monkeypatcher', 'collective-xmltestreport'],
    'cuda': ['cuda-python', 'cuda-bindings', 'cuda-core'],
    'databricks': ['databricks-sdk', 'databricks-sql-connector', 'databricks-connect'],
    'dbt': ['dbt-core', 'dbt-postgres', 'dbt-duckdb'],
    'fluent': ['fluent-runtime', 'fluent-syntax', 'fluent-logger'],
    'google': ['google-cloud-storage', 'google-genai', 'protobuf'],
    'jaraco': ['jaraco-functools', 'jaraco-context', 'jaraco-text'],
    'keyrings': ['keyrings-alt', 'keyrings-google-artifactregistry-auth'],
    'llama_index': ['llama-index', 'llama-index-core'],
    'mpl_toolkits': ['matplotlib', 'basemap'],
    'nvidia': ['nvidia-cublas-cu12', 'nvidia-cudnn-cu12'],
    'openlineage': ['openlineage-python', 'openlineage-sql'],
    'opentelemetry': ['opentelemetry-api', 'opentelemetry-sdk'],
    'oslo': ['oslo-config', 'oslo-utils'],
    'paste': ['paste', 'pastedeploy'],
    'plone': ['plone-api', 'plone-app-testing'],
    'pyannote': ['pyannote-audio', 'pyannote-core'],
    'repoze': ['repoze-lru', 'repoze-who'],
    'snowflake': ['snowflake-connector-python', 'snowflake-snowpark-python'],
    'soda': ['soda-core', 'soda-core-duckdb'],
    'sphinxcontrib': ['sphinxcontrib-mermaid', 'sphinxcontrib-bibtex'],
    'testing': ['testing-postgresql', 'testing-common-database'],
    'zc': ['zc-lockfile', 'zc-buildout'],
    'zope': ['zope-interface', 'zope-event', 'zope-component'],
}
"""Namespaces of many distributions, with some of them."""

REMOVED = (  # noqa: SIM905 (short words read better in lines)
    # By Python 3.
    'BaseHTTPServer CGIHTTPServer ConfigParser Cookie HTMLParser Queue SimpleHTTPServer SocketServer StringIO '
    'Tkinter UserDict UserList UserString cPickle cStringIO commands cookielib dummy_thread exceptions '
    'htmlentitydefs httplib md5 mimetools rfc822 robotparser sets sha thread tkMessageBox tkFileDialog urllib2 '
    'urlparse xmlrpclib '
    # By its later versions.
    'aifc asynchat asyncore audioop binhex cgi cgitb chunk crypt distutils formatter fpectl imghdr imp lib2to3 '
    'macpath mailcap msilib nis nntplib ossaudiodev parser pipes smtpd sndhdr spwd sunau symbol telnetlib uu '
    'xdrlib '
).split()
"""Modules that the standard library no longer has. What an index offers under these names is not the same, or old."""

OWN = (  # noqa: SIM905 (short words read better in lines)
    'app apps base benchmark benchmarks bin build build_utils cli client common conf config configs constants '
    'core custom data dataset datasets demo dist doc docs error errors example examples functions helper helpers '
    'images include integration_tests lib libs local logger main misc mock_data model models my_module mymodule '
    'my_package mypackage node_modules notebooks pipeline plugin plugins preprocessing project public '
    'requirements resources results sample samples schema schemas scripts server service services settings setup '
    'shared shell solution src task tasks temp tests third_party tmp tool tools train training tutorial typings '
    'util utilities utils validate vendor version wheelhouse wheels work workflow '
).split()
"""Names of a project's own modules: an index has distributions of these names too, and hardly anybody means them."""

JUNK = (  # noqa: SIM905 (short words read better in lines)
    'DUMMY Examples FAKE_NAME Shiboken amazon amd authorization bcj bits build_backend build_tests build_tools '
    'certs com compose cpp cpython exchange gallery interactive internet jax_plugins jconfig lin material merge '
    'meta org parallel pp ptr runfiles runtime_client stream swagger test test_od test_unstructured testfunctions '
    'timer v2 '
).split()
"""Modules that a popular distribution installs by accident, or under a name that says nothing."""

SKIPPED = ['esp-idf-kconfig', 'kconfiglib', 'pydevd', 'pydevd-pycharm', 'types-boto3-full']
"""Distributions that consist of modules which nobody imports from them."""
