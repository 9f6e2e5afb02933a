# Install rules, package configuration, pkg-config.
